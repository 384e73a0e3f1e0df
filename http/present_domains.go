package http

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type domainsBody struct {
	Domains []summary `json:"domains"`
	Version int       `json:"version"`
}

// domainBody is a domain with what is known of its versions.
type domainBody struct {
	summary
	HasDraft     bool `json:"has_draft"`
	HasPublished bool `json:"has_published"`
}

type variablesBody struct {
	Domain    summary        `json:"domain"`
	Variables []variableBody `json:"variables"`
	Version   int            `json:"version"`
}

type activitiesBody struct {
	Domain     domainBody             `json:"domain"`
	Activities []projections.Activity `json:"activities"`
	Variables  []variableBody         `json:"variables"`
	Version    int                    `json:"version"`
}

// variableBody is a variable for callers or, with display metadata, as its author wrote it.
// DefaultValue is "" for none, Format null where formats belong to columns or series.
type variableBody struct {
	ID              uuid.UUID      `json:"id"`
	Key             string         `json:"key"`
	Title           string         `json:"title"`
	Description     string         `json:"description"`
	DefaultValue    jsontext.Value `json:"default_value"`
	Kind            string         `json:"kind,omitempty"`         // in version 2
	DataType        string         `json:"data_type,omitempty"`    // for callers in version 1
	DisplayType     string         `json:"display_type,omitempty"` // of a definition in version 1
	Format          **string       `json:"format,omitzero"`        // for callers in version 2
	DisplayMetadata jsontext.Value `json:"display_metadata,omitempty"`
	Group           string         `json:"group,omitempty"`  // of a definition in version 2
	Hidden          bool           `json:"hidden,omitempty"` // of a definition in version 2
}

func presentDomains(domains []projections.Domain, version int) domainsBody {
	b := domainsBody{Domains: make([]summary, len(domains)), Version: version}
	for i, d := range domains {
		b.Domains[i] = presentSummary(d, version)
	}
	return b
}

// presentDomainVariables is a published domain's variables for callers, without those that are
// hidden.
func presentDomainVariables(d projections.Domain, version int) any {
	b := variablesBody{Domain: presentSummary(d, version), Variables: []variableBody{}, Version: version}
	for _, v := range d.Published.Variables {
		if v.Hidden {
			continue
		}
		shown := presentVariable(v)
		if version == 1 {
			shown.DataType, _ = commands.Shape(v.Kind)
		} else {
			format := format(v)
			shown.Kind, shown.Format = kind(v), &format
		}
		b.Variables = append(b.Variables, shown)
	}
	return b
}

// presentDomainActivities is a published domain's definition.
func presentDomainActivities(d projections.Domain, version int) any {
	b := activitiesBody{
		Domain:     domainBody{presentSummary(d, version), d.Draft != nil, d.Published != nil},
		Activities: slices.Clone(d.Published.Activities), Variables: []variableBody{}, Version: version,
	}
	for i := range b.Activities {
		a := &b.Activities[i]
		a.Calculable = nil
		if version == 1 {
			a.State = stateV1(a.State)
		}
	}
	for _, v := range d.Published.Variables {
		shown := presentVariable(v)
		if version == 1 {
			shown.DisplayType, shown.DisplayMetadata = kind(v), metadataV1(metadata(v))
		} else {
			shown.Kind, shown.DisplayMetadata = kind(v), metadata(v)
			shown.Group, shown.Hidden = v.Group, v.Hidden
		}
		b.Variables = append(b.Variables, shown)
	}
	return b
}

// presentSummary is the summary of a published domain.
func presentSummary(d projections.Domain, version int) summary {
	return presentReference(projections.DomainRef{
		ID: d.ID, Key: d.Key, Title: d.Published.Title, Description: d.Published.Description,
	}, version)
}

// presentVariable is what each version and list shows of a variable.
func presentVariable(v projections.Variable) variableBody {
	b := variableBody{ID: v.ID, Key: v.Key, Title: v.Title, Description: v.Description, DefaultValue: jsontext.Value(v.DefaultValue)}
	if len(b.DefaultValue) == 0 || string(b.DefaultValue) == "null" {
		b.DefaultValue = jsontext.Value(`""`)
	}
	return b
}

// kind is a variable's kind; an author who names none means a number.
func kind(v projections.Variable) string { return cmp.Or(v.Kind, "number") }

// format is a scalar variable's format: as the author gave it, beside the kind or in the display
// metadata, else the kind's default. It is nil for other variables.
func format(v projections.Variable) *string {
	structure, byDefault := commands.Shape(v.Kind)
	if structure != "number" {
		return nil
	}
	if v.Format != "" {
		return &v.Format
	}
	var stored struct {
		Number struct {
			Format *string `json:"format"`
		} `json:"number"`
	}
	if json.Unmarshal(v.DisplayMetadata, &stored, answerForm) == nil && stored.Number.Format != nil {
		return stored.Number.Format
	}
	return &byDefault
}

// metadata is a variable's display metadata as stored, or what follows from its kind and format.
func metadata(v projections.Variable) []byte {
	if len(v.DisplayMetadata) > 0 && string(v.DisplayMetadata) != "null" {
		return v.DisplayMetadata
	}
	if f := format(v); f != nil {
		return encode(map[string]map[string]string{"number": {"format": *f}})
	}
	structure, _ := commands.Shape(v.Kind)
	return encode(map[string]struct{}{structure: {}})
}
