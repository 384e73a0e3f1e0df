package main

import "github.com/chromedp/chromedp"

// screen is a picture: how the console gets there, and how large it is.
type screen struct {
	name          string
	width, height int64
	reach         func(*camera)
}

// screens are taken one after the other, each from where the one before left the console.
var screens = []screen{
	{"conversation", 1100, 760, func(c *camera) {
		c.open("/console")
		c.script("the domain", `const d = document.getElementById("domain"); d.value = [...d.options].find(o => o.text.includes("Electricity")).value`)
		c.write("prompt", "2 kW for 3 hours a day at 0.32 EUR/kWh, what is the total?")
		c.press(".ask button")
		c.write("prompt", "and for 6 hours a day?")
		c.press(".follow button")
		c.write("prompt", "tax_rate: 7%")
		c.press(".follow button")
	}},
	{"compare", 1100, 620, func(c *camera) { c.press("aside a[href$='/compare']") }},
	{"what-if", 1100, 760, func(c *camera) {
		c.press(".crumbs a")
		c.press(".pod-acts a[href*='what-if']")
	}},
	{"editor", 1100, 760, func(c *camera) {
		c.open("/console/domains")
		c.press(".rows a")
		c.press(".acts a[href$='/edit']")
		c.do("its tests", chromedp.WaitVisible(chromedp.CSS("#tests > *")))
	}},
}
