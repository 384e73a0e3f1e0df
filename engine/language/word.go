package language

import (
	"strings"
	"unicode/utf8"

	"reckon/engine/units"
)

// stem reduces a folded English word to what its forms have in common: plural, possessive, -ing, -ed and -ly endings and a
// silent e go. It need not be a word: "driving", "drives" and "drive" all give "driv".
func stem(word string) string {
	if s, ok := irregular[word]; ok {
		return s
	}
	w := strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
	if s, ok := irregular[w]; ok {
		return s
	}
	n := len(w)
	switch {
	case n <= 3:
		return w
	case strings.HasSuffix(w, "ies") && n > 4:
		w = w[:n-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		w = w[:n-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:n-1]
	}
	if s, ok := irregular[w]; ok {
		return s
	}
	n = len(w)
	switch {
	case strings.HasSuffix(w, "ing") && n >= 6 && vowelIn(w[:n-3]):
		w = undouble(w[:n-3])
	case strings.HasSuffix(w, "ed") && n >= 5 && vowelIn(w[:n-2]) && w[n-3] != 'e':
		w = undouble(w[:n-2])
	case strings.HasSuffix(w, "ly") && n >= 6:
		w = w[:n-2]
	}
	if len(w) > 3 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	if len(w) > 3 && strings.HasSuffix(w, "y") {
		w = w[:len(w)-1] + "i"
	}
	return w
}

func vowelIn(s string) bool { return strings.ContainsAny(s, "aeiouy") }

// undouble turns the doubled last consonant of a stem ("runn") into one; l, s and z stay doubled.
func undouble(s string) string {
	n := len(s)
	if n >= 4 && s[n-1] == s[n-2] && !strings.ContainsRune("aeioulsz", rune(s[n-1])) {
		return s[:n-1]
	}
	return s
}

// typos is how many edits a word may be away from what was meant: none to three letters, one, two from eight letters.
func typos(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n <= 3:
		return 0
	case n < 8:
		return 1
	default:
		return 2
	}
}

// misspells reports whether a written word may be a slip of another. The first letter is seldom wrong, and a word that is
// one itself is none: those are the caller's to exclude.
func misspells(written, meant string) bool {
	limit := typos(written)
	if limit == 0 || utf8.RuneCountInString(meant) <= 3 {
		return false
	}
	d := units.EditDistance(written, meant, limit)
	return d > 0 && d <= limit
}

// irregular gives the stems of forms that the endings do not tell.
var irregular = map[string]string{
	"monthly": "month", "months": "month", "yearly": "year", "annual": "year", "annually": "year", "annum": "year", "years": "year",
	"daily": "day", "days": "day", "hourly": "hour", "hours": "hour", "weekly": "week", "weeks": "week",
	"payment": "pay", "payments": "pay", "repayment": "pay", "repayments": "pay", "repay": "pay", "paid": "pay", "pays": "pay", "paying": "pay", "drove": "driv", "driven": "driv", "sold": "sell", "bought": "buy", "spent": "spend",
	"lent": "lend", "burnt": "burn", "ran": "run", "running": "run", "runs": "run", "won": "win", "made": "mak", "held": "hold", "kept": "keep",
	"left": "leav", "leaves": "leav", "leaving": "leav", "arrival": "arriv", "departure": "depart", "departing": "depart",
	"went": "go", "gone": "go", "goes": "go", "got": "get", "ate": "eat", "flew": "fly", "flown": "fly", "grew": "grow", "grown": "grow",
	"lost": "lose", "losing": "lose", "loses": "lose", "drew": "draw", "drawn": "draw", "using": "us", "used": "us", "uses": "us", "use": "us",
	"length": "length", "lengths": "length", "feet": "foot", "people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman",
	"costing": "cost", "tip": "tip", "tips": "tip", "tipping": "tip", "gas": "gas", "bus": "bus", "buses": "bus", "mass": "mass", "masses": "mass",
	"area": "area", "areas": "area", "data": "data", "series": "series", "species": "species", "percent": "percent", "percentage": "percent",
	"tax": "tax", "taxes": "tax", "taxed": "tax", "taxing": "tax", "boxes": "box", "axes": "axis", "halves": "half", "knives": "knife", "shelves": "shelf",
	"repaid": "pay", "repaying": "pay", "savings": "sav", "earnings": "earn", "takings": "taking", "wages": "wage", "costs": "cost",
	"speeding": "speed", "tiles": "tile", "tiling": "tile", "tiled": "tile", "tile": "tile",
}

// grammarWords carry no meaning of their own: they never name a variable.
var grammarWords = wordSet(`a an the this that these those my our your his her its their of for to in on at by with from as into onto
 is are was were be been being am do does did done has have had having will would shall should can could may might must
 i we you he she it they me us him them myself ourselves itself and or but so if then than when while because since per every any some
 between among through across during against without within along near via towards toward beyond before after above below behind beside besides despite like unlike
 not no yes what which who whom whose how why where there here
 i'm i've i'd i'll we're we've we'd we'll it's that's what's there's let's you're don't doesn't isn't won't can't how's where's who's
 whats thats im ive id till until upon`)

// tellingWords are words of grammar that make a difference in a name: "balance after tax".
var tellingWords = wordSet("after before over under above below without within between during against beyond per each until")

// plainWords are understood wherever they stand, but say too little to be asked for or to contradict anything. They may
// name a variable.
var plainWords = wordSet(`please thanks thank hi hello hey ok okay well just only also too very really quite about around roughly approximately
 up out off again now still over under total altogether overall exactly whole entire full all both either neither
 get gets got getting take takes taking took need needs needed want wants wanted like likes know tell give gives show say let make makes made making
 going go goes went come comes put use uses using used end ends ending start starts starting begin begins
 calculate compute find work working figure determine solve answer question calculation result value amount number figure
 much many long far fast big same other another more less few lot lots bit kind sort thing things quick quickly slow
 assuming assume suppose supposing given provided whether instead rather currently today usually actually basically normally
 right sure guess think thinking thought wondering wonder trying try tried planning plan hoping hope looking look see seems seem
 gonna wanna gotta lol btw pls plz thx oh ah aha hm hmm um uh er yeah yep yup nope nah damn argh right-o cool cheers mate folks guys dear sir easy simple simply curious
 happens happen left sum new old one ones keep kept keeping everything else case time times way did done already ever average typical
 most least max maximum min minimum highest lowest biggest smallest best worst extra able good great nice cool sorry actually maybe perhaps possible possibly expect expected estimate estimated estimating including excluding incl excl inc`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// ordinaryWords are words that are no slip of another one, whatever a domain calls its variables. They are no words that a
// domain is about either.
var ordinaryWords = wordSet(`able above abroad across actor add address adult advice afraid afternoon agent ago agree air alarm album alive alone along angle angry animal
 answer apart apple april arm army art ask asleep aunt author autumn baby back bad bag ball band bank bar barn base basic basket bath battle beach bean bear beat beauty bed
 beer bell below belt bench bend best better bike bill bird birth bit bite black blame blank blind blood blow blue board boat body bone book boot born boss both bottle bottom
 bowl boy brain branch brave bread breakfast breath bridge bright bring brother brown brush build burn bush business busy butter button cafe cake call camera camp card care
 carpet carry castle cat catch cats cattle cause ceiling cell chain chair chance chapter chart cheap cheese chest chicken chief chip choice church circle city class clean clear
 clever climb clock cloth cloud club coach coast coat coats code coffee coin cold colour come cook copper copy corn corner cotton count country couple court cousin cow cream
 crime cross cry cup curtain dance danger dark dates daughter dead deal dear desk dinner direction dirty dish doctor dog dollar door doubt drag dream dress drink drop dry duck
 dust ear earth east egg else empty enemy engine evening event exam eye face fact fair fall family famous farm farmer fast fat father fault fear feed feel feet fence few fight
 film fine finger fire fish fit fix floor flower fly foot forest forget fork form forward frame free fresh friend front fruit fun funny game garden gate ghost gift girl glad
 glass goal gold good grade grand grass gray great green grey ground group guess guest guide hair half hall hammer hand happen happy hard hat hate haul hay head hear heart
 heaven heavy help hen here hide hill hit hobby hole holiday hope horse hospital hot hotel hour house hurry hurt husband ice idea ill inside iron island jam job join joke judge
 jump june july keep key kick kid kids kill king kiss kitchen knee knife knock lady lake lamp land large last late laugh law lazy lead leaf learn least leave left leg lemon
 lesson letter library lie life lift light like line lion lip list listen live local lock look lorry lose loud love luck lunch machine mail main man map mark market marry
 matter maybe meal mean meat medal meet member mend menu metal middle milk mind mine mirror miss mistake model mood moon morning mother mountain mouse mouth movie much music
 nail name narrow nature near neck need nephew nervous nest nice niece night noise north nose note notice nurse ocean odd offer office oil old olive once onion open orange
 orchestra ordinary other outside oven owe own page pain paint pair palace pan paper parent park part partner party pass past path pen pencil people pepper pet phone photo
 piano pick picnic picture pie pig pilot pin pink pipe place plain plan plane planet plant plate play please pocket poem point police polite poor pop post pot potato
 pound pour power practice pray present press pretty prison prize problem proof proud pull pupil push queen queue quiet quite rabbit race radio rain raise reach read ready real
 reason record red remember repair reply report rest rice rich ride ring river road rock roof room root rope rose rough round row royal rubber rule run sad safe sail
 salad salt same sand sauce save scale school science scissors screen sea season seat second secret seed seem send serve shade shadow shape share sharp sheep sheet shelf ship
 shirt shoe shop shore short shoulder shout shower shut sick side sign silver sing sister sit site size skin skirt sky sleep slice slide slip small smell smile smoke snake
 snow soap soft soil soldier some son song soon sort sound soup south space speak spell spend spoon sport spot spring stage stair stamp stand star start state station
 stay steal steam steel steep stick still stomach stone stop storm story straight strange stream street strong student study sugar suit summer sun supper sure sweet swim table
 tail tall tape task taste tea teach teacher team tear tell tent test thank thick thief thin think thirsty throat throw ticket tidy tie tiger tight tire tired title toe tool
 tooth top touch towel tower town toy track trade train tree truck trust truth try turn twin type uncle under uniform usual valley van vegetable village visit voice wait wake
 walk wall war warm wash watch water wave way weak wear weather wedding week west wheat wheel where white wide wife wild win wind window wine wing winter wire wise wish
 wolf woman wonder wood wool word work world worry worse worst wrap write wrong yard yellow yes young zoo cheaper deeper planning permission poem joke capital president`)
