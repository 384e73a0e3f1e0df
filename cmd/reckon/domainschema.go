package main

import "reckon/schemas"

type domainSchema struct{}

func (*domainSchema) Help() string {
	return "Editors complete and check domain files with it.\n\nExample:\n  reckon domain schema > domain.schema.json"
}

func (c *domainSchema) Run(t terminal) error {
	_, err := t.out.Write(schemas.DomainFile())
	return err
}
