package main

import "fmt"

type domainGraph struct {
	File string `arg:"" help:"Domain file, YAML or JSON."`
	SVG  bool   `help:"Print an SVG document." name:"svg"`
}

func (*domainGraph) Help() string {
	return "As text, each result stands above what it is made of. As SVG, inputs stand on the left, equations behind what they are made of, results on the right.\n\nExamples:\n  reckon domain graph trip.yaml\n  reckon domain graph trip.yaml --svg > trip.svg"
}

func (c *domainGraph) Run(t terminal) error {
	d, err := compiledDomain(t, c.File)
	if err != nil {
		return err
	}
	drawing := d.Outline().Text()
	if c.SVG {
		drawing = d.Outline().SVG(0)
	}
	_, err = fmt.Fprint(t.out, drawing)
	return err
}
