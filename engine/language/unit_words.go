package language

import (
	"iter"
	"strings"
	"sync"
)

// spokenUnit is a unit as people say it where the engine's table does not have it, or has it in one sense only.
type spokenUnit struct {
	words string // spellings, separated by ", "
	// units are the senses, the usual one first, in symbols separated by ", "; "1" for a plain number. Behind a colon
	// stands how many of what is said make one of the unit, or -1 where the sign turns.
	units   string
	example string // a prompt, and
	means   string // the texts of its readings, separated by ", "
}

// spokenUnits are read before the table of the engine, the longest words first.
var spokenUnits = []spokenUnit{
	{"pound, pounds", "lb, GBP", "20 pounds", "20 lb, 20 GBP"},
	{"degree, degrees, deg, °", "deg, degC, degF", "30 degrees", "30 deg, 30 degC, 30 degF"},
	{"℃, ° c, deg c, degs c, degree c, degrees c", "degC", "20 °C", "20 degC"},
	{"℉, ° f, deg f, degs f, degree f, degrees f", "degF", "70 °F", "70 degF"},
	{"degrees below zero", "degC:-1, degF:-1", "5 degrees below zero", "-5 degC, -5 degF"},
	{"ounce, ounces, oz", "oz, fl oz", "8 oz", "8 oz, 8 fl oz"},
	{"klick, klicks, click, clicks, kms, kay", "km", "5 clicks", "5 km"},
	{"percentage point, percentage points, pp, ppt, percents, % points, percent points", "%", "2 percentage points", "2%"},
	{"point, points, pts", "%, 1", "half a point", "0.5%, 0.5"},
	{"basis point, basis points, bp, bips", "%:100", "50 basis points", "0.5%"},
	{"gig, gigs, gigabyte", "GB", "2 gigs", "2 GB"},
	{"meg, megs", "MB", "50 megs", "50 MB"},
	{"beats a minute", "bpm", "70 beats a minute", "70 bpm"},
	{"bps", "%:100, bps", "25 bps", "0.25%, 25 bps"},
	{"hrs, hr", "h", "3 hrs", "3 h"},
	{"kwhs, kw hours, kilowatt hours, kilowatthours", "kWh", "3 kilowatt hours", "3 kWh"},
	{"k's, ks", "km", "10 k's", "10 km"},
	{"foot, feet, ft, '", "ft", "6'", "6 ft"},
	{`in., ", ''`, "in", `12"`, "12 in"},
	{"kilometers an hour, kph, kmh, kms/h, kmph, km an hour, kms an hour", "km/h", "100 kph", "100 km/h"},
	{"mph, m.p.h, m.p.h., m p h", "mph", "60 mph", "60 mph"},
	{"mi/hr, miles/hr, miles/hour", "mi/h", "60 miles/hour", "60 mi/h"},
	{"m.p.g, m.p.g., m p g", "mpg", "40 m.p.g.", "40 mpg"},
	{"gal, gals", "gal", "10 gals", "10 gal"},
	{"cubes", "1", "3 cubes", "3"},
	{"yr, yrs, yr.", "yr", "30 yrs", "30 yr"},
	{"mth, mths, mnths, mos", "mo", "6 mths", "6 mo"},
	{"mins, min.", "min", "20 min.", "20 min"},
	{"sec., secs", "s", "5 secs", "5 s"},
	{"weeks' time", "wk", "2 weeks' time", "2 wk"},
	{"kcal, kcals, kilocalories", "kcal", "500 kcals", "500 kcal"},
	{"horses", "1, hp", "200 horses", "200, 200 hp"},
	{"hand, hands", "1, hand", "15 hands", "15, 15 hand"},
	{"turn, turns", "1, rev", "3 turns", "3, 3 rev"},
	{"link, links", "1, link", "3 links", "3, 3 link"},
	{"chain, chains", "1, chain", "2 chains", "2, 2 chain"},
	{"rod, rods", "1, rod", "2 rods", "2, 2 rod"},
	{"cable, cables", "1, cable", "2 cables", "2, 2 cable"},
	{"cord, cords", "1, cord", "2 cords", "2, 2 cord"},
	{"league, leagues", "1, league", "3 leagues", "3, 3 league"},
	{"grain, grains", "1, gr", "5 grains", "5, 5 gr"},
	{"mole, moles", "mol, 1", "5 moles", "5 mol, 5"},
	{"shake, shakes", "1, shake", "2 shakes", "2, 2 shake"},
	{"slug, slugs", "1, slug", "2 slugs", "2, 2 slug"},
	{"barn, barns", "1, barn", "2 barns", "2, 2 barn"},
	{"pond, ponds", "1, gf", "2 ponds", "2, 2 gf"},
	{"bar, bars", "bar, 1", "2 bars", "2 bar, 2"},
	{"barrel, barrels", "bbl, 1", "2 barrels", "2 bbl, 2"},
	{"cup, cups", "cup, 1", "2 cups", "2 cup, 2"},
	{"hot dog, hot dogs", "1", "3 hot dogs", "3"},
}

// letterUnits are read case and all, single letters directly behind a number only, where the engine's table has none or
// means a rarer unit. What the table has comes behind.
var letterUnits = []spokenUnit{
	{"C", "degC", "20C", "20 degC, 20 C"},
	{"F", "degF", "70F", "70 degF, 70 F"},
	{"f", "degF", "70f", "70 degF"},
	{"a", "A", "5a", "5 A"},
	{"v", "V", "12v", "12 V"},
	{"j", "J", "5j", "5 J"},
	{"ma", "mA", "500ma", "500 mA"},
	{"mv", "mV", "20mv", "20 mV"},
	{"mhz", "MHz", "5mhz", "5 MHz"},
	{"mw", "MW, mW", "3mw", "3 MW, 3 mW"},
	{"mwh", "MWh, mWh", "2mwh", "2 MWh, 2 mWh"},
	{"mj", "MJ, mJ", "3mj", "3 MJ, 3 mJ"},
	{"mpa", "MPa", "20mpa", "20 MPa"},
	{"ML", "mL, ML", "200ML", "200 mL, 200 ML"},
	{"w", "W, wk", "60w", "60 W, 60 wk"},
	{"Y", "yr", "30Y", "30 yr"},
	{"H", "h", "2H", "2 h, 2 H"},
	{"T", "t", "5T", "5 t, 5 T"},
	{"S", "s", "5S", "5 s, 5 S"},
	{"G", "g", "5G", "5 g, 5 G"},
	{"kb", "kB, kbit", "5 kb", "5 kB, 5 kbit"},
	{"mb", "MB, Mbit", "5 mb", "5 MB, 5 Mbit"},
	{"gb", "GB, Gbit", "5 gb", "5 GB, 5 Gbit"},
	{"tb", "TB, Tbit", "5 tb", "5 TB, 5 Tbit"},
	{"mbps", "Mbps", "5 mbps", "5 Mbps"},
	{"gbps", "Gbps", "5 gbps", "5 Gbps"},
	{"b", "b", "5 b", "5 bit, 5000000000"},
}

// suffix multiplies the number that it stands directly behind.
type suffix struct {
	words   string // separated by spaces, case and all
	value   int64
	money   bool // only where a currency stands by the number
	first   bool // meant before any unit of the same letters
	example string
	means   string
}

var suffixes = []suffix{
	{"k K", 1e3, false, true, "300k", "300000, 300 km"},
	{"grand", 1e3, false, true, "20 grand", "20000"},
	{"m", 1e6, false, false, "5m", "5 m, 5000000"},
	{"M mn mln mio Mn MM mill", 1e6, false, true, "1.5M", "1500000"},
	{"mm", 1e6, true, true, "$2mm", "2000000 USD"},
	{"thou", 1e3, false, false, "250 thou", "250 mil, 250000"},
	{"mil mils", 1e6, false, false, "2 mil", "2 mil, 2000000"},
	{"t T", 1e12, true, false, "$1.2T", "1200000000000 USD"},
	{"bn Bn BN bln", 1e9, false, true, "2.5bn", "2500000000"},
	{"b B", 1e9, false, false, "2B", "2 B, 2000000000"},
	{"tn trn", 1e12, false, true, "3tn", "3000000000000"},
}

// runWords stand behind a distance in thousands of metres: 10k run.
var runWords = words("run runs race races jog jogs walk walks swim ride row trail course marathon parkrun pb fun charity")

// overWord leads from what is measured to what it is measured by.
type overWord struct {
	words   string // spellings, separated by ", "
	unit    string // the unit that the words themselves name, "" where it follows
	behind  bool   // only behind a unit, since the words mean much else
	example string
	means   string
}

var overWords = []overWord{
	{"per, per a, per an, per one, per each", "", false, "60 miles per hour", "60 mi/h"},
	{"/", "", false, "$20/h", "20 USD/h, 20 USD"},
	{"a, an", "", true, "60 miles an hour", "60 mi/h"},
	{"each, every, for each, for every, for a", "", true, "£20 each month", "20 GBP/mo, 20 GBP"},
	{"to the, to a", "", true, "40 miles to the gallon", "40 mi/gal"},
	{"p.a, p.a., pa, p/a, p . a ., p . a", "yr", true, "5% p.a.", "5%, 5 %/yr"},
	{"pcm, p.c.m", "mo", true, "£900 pcm", "900 GBP/mo, 900 GBP"},
	{"pw, p/w", "wk", true, "£200 pw", "200 GBP/wk, 200 GBP"},
	{"ph, p/h", "h", true, "£15 ph", "15 GBP/h, 15 GBP"},
}

// commonUnits are the names of units that "a" may count one of ("an hour"), and that a slip of the pen may mean.
var commonUnits = words(`second seconds minute minutes hour hours day days week weeks fortnight month months year years decade decades
 mile miles kilometre kilometres kilometer kilometers metre metres meter meters centimetre centimetres centimeter centimeters
 millimetre millimetres millimeter millimeters foot feet yard yards inch inches litre litres liter liters millilitre millilitres milliliter milliliters
 gallon gallons pint pints quart quarts cup teaspoon teaspoons tablespoon tablespoons pound pounds kilo kilos kilogram kilograms kilogramme kilogrammes gram grams gramme grammes
 ton tons tonne tonnes ounce ounces stone acre acres hectare hectares watt watts kilowatt kilowatts joule joules volt volts amp amps newton newtons
 degree degrees celsius fahrenheit percent dollar dollars euro euros cent cents penny pence buck quid knot knots calorie calories
 kelvin hertz pascal pascals gigabyte gigabytes megabyte megabytes terabyte terabytes horsepower mph`)

// notUnits are words that the table of the engine would read as a unit in some case, and words that are never one.
var notUnits = words(`a an am and are as at all be been but by can do for from go had has have he her his how i if in into is it its me my
 no not of off on one or our out pm she so than that the their them then there they this to too try up us was we were
 what when will with you your pa cop damps camps grays may march sun`)

// notSlips are words that are nearly a unit, and are themselves.
var notSlips = words(`aces acted agrees alone ants atone back bags balls bays beards bears bets bills boards bogs bolts both bounces bounds
 buckets calls caps cards cares carts center centre centres charts chips collars colts cops cost costs courts crams
 cube cubes cusp cute cuts daily date dates dats deals dears decayed decides decks degreed diagrams dogs doors dots
 dozen duck east eggs eras events feat feats feed feeds feel fees fest files filters finch fires fleet floors founds
 four fours galleons gears gets grammar grans guards half halls hear hears hectors here hires hoops horses hoses hosts
 hounds hourly houses inched incl instagrams itch itches jets jewels jobs joins jolts kegs kill killer kills kilns kilter
 kites knights knits lamps lanes lards last lays leeks legs less lets letters lines logs lost lots luck males many maps
 matters meals meet meetings meetups metros milers mills minus minuses minutest month-end monthly more most moth mother
 moths mounds mouth mouths much must near nears nest nets niches nights note notes other others over page pager paint
 paints pairs pants parts past pays peeks pegs penne pens people person persons pets phase phone pieces pies piles
 pills pinch pines pings pins pixels plants plots point pointed points polls ports post pots pounces pounded pours
 prams print prints programs puck pulls quarters quartz quit quiz ramps rate rates rays reeks rents rest riches ride
 rips rolls rooms rounds says scholars second-hand seconded seeks sets setters sheet ships shone shots slots smiles
 sons sounds spots stamps stole store storm stove talk taste tays tears tens tents test ties tiles tins tips tires
 titles titres toes tones tonic tops tours towns toys trams tries trip trips tube tubes tunes tyres vents very votes
 waits walk walls wants wards ways wear wears weekend weekends weekly west where winch winches wires wounds yearly
 yours`)

// fields cuts words at their spaces.
func fields(s string) iter.Seq[string] { return strings.FieldsSeq(s) }

// words is a list of words as a set, made at its first use.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range fields(list) {
			set[w] = true
		}
		return set
	})
}
