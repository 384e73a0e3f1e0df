package main

// screen is a picture: how the console gets there, and how large it is.
type screen struct {
	name          string
	width, height int64
	reach         func(*camera)
}

// screens are taken one after the other, each from where the one before left the console.
var screens = []screen{
	{"conversation", 1100, 820, func(c *camera) {
		c.open("/console")
		c.script("the domain", `const d = document.getElementById("domain"); d.value = [...d.options].find(o => o.text.includes("Electricity")).value`)
		c.write("prompt", "2 kW for 3 hours a day at 0.32 EUR/kWh, what is the total?")
		c.press(".ask button")
		c.write("prompt", "and for 6 hours a day?")
		c.press(".follow button")
	}},
	{"what-if", 1100, 820, func(c *camera) { c.press(".pod-acts a[href*='what-if']") }},
}
