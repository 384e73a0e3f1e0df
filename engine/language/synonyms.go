package language

import "strings"

// synonyms are groups of words that people use for one another when they speak of quantities. A word of the group that
// stands in for another counts less than the word itself. Each row ends with an example: a name, and a phrase that means it.
var synonyms = []struct{ words, name, phrase string }{
	{"speed velocity pace mph fast quick", "Speed", "how fast"},
	{"distance far mileage route way", "Distance", "how far"},
	{"duration time long", "Duration", "how long"},
	{"trip journey drive ride travel travelling driving commute", "Trip length", "length of the journey"},
	{"term length years duration period lifetime", "Term", "over a period of"},
	{"price cost charge fee tariff", "Price", "the cost"},
	{"cost expense outlay spend spending pay price bill", "Cost", "what will I spend"},
	{"house home property flat apartment", "House price", "a home"},
	{"deposit downpayment upfront down", "Deposit", "upfront"},
	{"loan mortgage borrow borrowing principal lend debt borrowed", "Loan", "borrow"},
	{"payment instalment installment", "Payment", "instalments"},
	{"interest apr rate", "Interest rate", "apr"},
	{"wage pay salary earn earning paid income", "Wage", "I earn"},
	{"gross pretax", "Gross pay", "pretax pay"},
	{"net takehome", "Net pay", "takehome pay"},
	{"salary income earning pay earn", "Salary", "income"},
	{"revenue turnover takings sales income", "Revenue", "turnover"},
	{"profit earning earn gain make", "Profit", "how much do we earn"},
	{"margin markup", "Margin", "markup"},
	{"discount reduction off rebate", "Discount", "20% off"},
	{"tax vat gst duty levy", "Tax rate", "vat"},
	{"tip gratuity service", "Tip", "gratuity"},
	{"quantity qty number count amount unit item piece pieces units items", "Quantity", "number of items"},
	{"sold sell sale sales", "Units sold", "we sell"},
	{"buy bought purchase order", "Units bought", "we purchase"},
	{"people person guest attendee diner head passenger traveller friend each apiece", "Guests", "number of people"},
	{"worker employee staff people labourer laborer", "Workers", "staff"},
	{"weight mass weigh heavy", "Weight", "how heavy"},
	{"height tall high", "Height", "how tall"},
	{"width wide breadth broad", "Width", "how wide"},
	{"length long", "Length", "how long"},
	{"depth deep thick thickness", "Depth", "how deep"},
	{"thickness thick", "Thickness", "how thick"},
	{"radius diameter", "Radius", "radius"},
	{"area surface footprint size", "Area", "surface"},
	{"volume capacity space size", "Volume", "capacity"},
	{"size big large", "Size", "how big"},
	{"temperature temp hot cold warm heat", "Temperature", "how hot"},
	{"energy consumption electricity", "Energy", "consumption"},
	{"power wattage watt watts output", "Power", "wattage"},
	{"voltage volt volts potential", "Voltage", "volts"},
	{"current amp amps amperage ampere", "Current", "amps"},
	{"resistance ohm ohms", "Resistance", "ohms"},
	{"fuel petrol gas gasoline diesel", "Fuel price", "price of petrol"},
	{"economy efficiency consumption mpg mileage", "Fuel economy", "mpg"},
	{"efficiency efficient", "Efficiency", "how efficient"},
	{"electricity energy power", "Electricity price", "power price"},
	{"departure depart leave start set", "Departure", "we leave"},
	{"arrival arrive reach there finish end", "Arrival", "we arrive"},
	{"start begin beginning", "Start", "beginning"},
	{"end finish done ready completion deadline", "End", "completion"},
	{"age old", "Age", "how old"},
	{"date day when", "Date", "what day"},
	{"birthday birth born", "Birth date", "born"},
	{"initial start starting opening begin", "Initial balance", "starting balance"},
	{"initial deposit invest investment put principal", "Initial deposit", "invest"},
	{"final end ending future closing eventual", "Final balance", "ending balance"},
	{"balance saving pot fund total", "Balance", "savings"},
	{"contribution saving save deposit add put", "Contribution", "save"},
	{"growth grow increase", "Growth rate", "grow"},
	{"inflation", "Inflation", "inflation"},
	{"return yield growth", "Return", "yield"},
	{"each apiece unit item", "Unit price", "each"},
	{"year yearly annual annum", "Annual rate", "per annum"},
	{"flow throughput", "Flow rate", "throughput"},
	{"rate speed pace", "Rate", "speed"},
	{"calorie calories kcal burn", "Calories", "burn"},
	{"food meal", "Food cost", "meal"},
	{"dose dosage", "Dose", "dosage"},
	{"drug medicine medication", "Drug", "medicine"},
	{"concentration strength", "Concentration", "strength"},
	{"water fill", "Water", "water"},
	{"yield harvest crop", "Yield", "harvest"},
	{"field land plot acreage", "Field area", "land"},
	{"wall walls room", "Wall area", "room"},
	{"paint painting", "Paint", "painting"},
	{"coat coats layer layers", "Coats", "layers"},
	{"coverage cover covers spread", "Coverage", "cover"},
	{"rent rental lease", "Rent", "rental"},
	{"ticket tickets admission entry", "Ticket price", "admission"},
	{"attendance attendee visitor audience crowd", "Attendance", "visitors"},
	{"venue hall room", "Venue hire", "hall"},
	{"hire rental rent", "Venue hire", "rental"},
	{"shipping delivery postage freight", "Shipping", "delivery"},
	{"speed bandwidth throughput", "Bandwidth", "speed"},
	{"download transfer upload", "Download time", "transfer"},
	{"file size", "File size", "file"},
	{"storage disk space capacity", "Storage", "disk space"},
	{"salary wage", "Salary", "wage"},
	{"overtime extra", "Overtime", "overtime"},
	{"shift hours hour", "Hours", "shift"},
	{"break breaks stop stops pause rest", "Breaks", "stops"},
	{"payback breakeven", "Payback", "breakeven"},
	{"grade score mark marks", "Score", "mark"},
	{"force push pull", "Force", "push"},
	{"acceleration accelerate", "Acceleration", "accelerate"},
	{"pressure psi", "Pressure", "psi"},
	{"density dense", "Density", "dense"},
	{"frequency often", "Frequency", "how often"},
	{"wood timber lumber", "Timber", "wood"},
	{"brick bricks block", "Bricks", "blocks"},
	{"car vehicle auto automobile", "Car price", "vehicle"},
	{"worth value price", "Value", "worth"},
	{"budget afford spend", "Budget", "afford"},
	{"fee commission charge", "Fee", "commission"},
	{"percentage percent share fraction proportion", "Share", "percentage"},
	{"ratio proportion", "Ratio", "proportion"},
	{"extra additional", "Extra", "additional"},
	{"spare waste wastage", "Waste", "wastage"},
}

// synonymTable maps a stem to the groups it is in.
type synonymTable map[string][]int

// readSynonyms makes the table of the groups above. Two words are synonyms when they share a group.
func readSynonyms() synonymTable {
	t := synonymTable{}
	for i, row := range synonyms {
		for _, w := range strings.Fields(row.words) {
			s := stem(w)
			if list := t[s]; len(list) == 0 || list[len(list)-1] != i {
				t[s] = append(t[s], i)
			}
		}
	}
	return t
}

// share reports whether two stems stand in one group.
func (t synonymTable) share(a, b string) bool {
	for _, i := range t[a] {
		for _, j := range t[b] {
			if i == j {
				return true
			}
		}
	}
	return false
}
