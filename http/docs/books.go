package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// shelf is where the books are, by their paths from the root of the repository.
var shelf = map[string]string{
	"http/docs/ASKING.md":          Path + "/asking",
	"http/mcp/README.md":           Path + "/assistants",
	"http/webhooks/README.md":      Path + "/webhooks",
	"schemas/CONTRACT.md":          Path + "/contract",
	"schemas/AUTHORING.md":         Path + "/authoring",
	"cmd/reckon/starter/README.md": Path + "/starters",
	"commands/history/README.md":   Path + "/answered",
	"cmd/reckon/OPERATIONS.md":     Path + "/operations",
	"cmd/reckon/CLUSTER.md":        Path + "/cluster",
	"cmd/reckon/KUBERNETES.md":     Path + "/kubernetes",
	"cmd/reckon/BACKUP.md":         Path + "/backup",
	"cmd/reckon/BENCHMARKS.md":     Path + "/benchmarks",
	"commands/model/README.md":     Path + "/model",
	"events/README.md":             Path + "/log",
	"engine/README.md":             Path + "/engine",
	"engine/language/README.md":    Path + "/prose",
}

// startersFolder has the starter domains, a page each.
const startersFolder = "cmd/reckon/starter/"

// place is the page of a file of the repository, "" for none.
func place(file string) string {
	if to, ok := shelf[file]; ok {
		return to
	}
	if name, ok := strings.CutPrefix(file, startersFolder); ok && path.Ext(name) != ".md" {
		return Path + "/starters/" + path.Base(name)
	}
	return ""
}

// writer makes HTML of Markdown. Raw HTML is left out, and so are links that run something.
var writer = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(marks{}, 100))),
)

// markdown renders a text of a description.
func markdown(source string) template.HTML { return rendered(parse([]byte(source)), []byte(source)) }

func parse(source []byte) ast.Node {
	return writer.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
}

func rendered(node ast.Node, source []byte) template.HTML {
	var out bytes.Buffer
	if err := writer.Renderer().Render(&out, source, node); err != nil {
		panic(fmt.Sprintf("render Markdown: %v", err)) // into memory
	}
	return template.HTML(out.String()) // raw HTML is left out
}

// slug is the anchor of a heading, as GitHub makes it.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// anchors gives each heading of a text an anchor of its own.
type anchors struct{ taken map[string]int }

func (a *anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	id := slug(strings.TrimSpace(string(heading)))
	if id == "" {
		id = "section"
	}
	if a.taken == nil {
		a.taken = map[string]int{}
	}
	n := a.taken[id]
	a.taken[id]++
	if n > 0 {
		return a.Generate(fmt.Appendf(nil, "%s-%d", id, n), ast.KindHeading)
	}
	return []byte(id)
}

func (a *anchors) Put([]byte) {}

// bookPage is the page of a book.
func bookPage(file, source string) *page {
	doc := parse([]byte(source))
	p := &page{Path: shelf[file]}
	current := section{path: p.Path}
	for node := doc.FirstChild(); node != nil; {
		next := node.NextSibling()
		heading, is := node.(*ast.Heading)
		switch {
		case is && heading.Level == 1:
			p.Title = plain(heading, []byte(source))
			current.page, current.heading, current.names = p.Title, p.Title, []string{p.Title}
			doc.RemoveChild(doc, node)
		case is:
			p.sections = append(p.sections, current)
			current = section{path: p.Path + "#" + anchor(heading), page: p.Title, heading: plain(heading, []byte(source))}
			if heading.Level == 2 {
				p.toc = append(p.toc, link{Path: "#" + anchor(heading), Text: current.heading})
			}
		default:
			current.texts = append(current.texts, paragraphs(node, []byte(source))...)
		}
		node = next
	}
	p.sections = append(p.sections, current)
	relink(doc, path.Dir(file))
	p.Body = rendered(doc, []byte(source))
	return p
}

func anchor(heading *ast.Heading) string {
	id, _ := heading.AttributeString("id")
	text, _ := id.([]byte)
	return string(text)
}

// relink has links to files of the repository lead to their pages. Where there is none, their text
// remains.
func relink(doc ast.Node, folder string) {
	var links []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering {
			links = append(links, l)
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		to, heading, _ := strings.Cut(string(l.Destination), "#")
		if to == "" || strings.Contains(to, "://") {
			continue
		}
		if page := place(path.Join(folder, to)); page != "" {
			if heading != "" {
				page += "#" + heading
			}
			l.Destination = []byte(page)
			continue
		}
		for child := l.FirstChild(); child != nil; child = l.FirstChild() {
			l.Parent().InsertBefore(l.Parent(), l, child)
		}
		l.Parent().RemoveChild(l.Parent(), l)
	}
}

// paragraphs are the texts of a block: its paragraphs, items, rows, or its code.
func paragraphs(node ast.Node, source []byte) (texts []string) {
	switch node.Kind() {
	case ast.KindList, ast.KindListItem, ast.KindBlockquote, extast.KindTable:
		for child := node.FirstChild(); child != nil; child = child.NextSibling() {
			texts = append(texts, paragraphs(child, source)...)
		}
		return texts
	}
	if t := plain(node, source); t != "" {
		texts = []string{t}
	}
	return texts
}

// plain is the text of a node without marks, white space collapsed.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					out.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					out.Write(line.Value(source))
				}
			}
		case *extast.TableCell:
			if !entering {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// marks renders what is not as goldmark has it: headings that link to themselves, code and tables
// that can be moved sideways by the keyboard, tables without an empty head.
type marks struct{}

func (m marks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, m.heading)
	r.Register(ast.KindFencedCodeBlock, m.code)
	r.Register(ast.KindCodeBlock, m.code)
	r.Register(extast.KindTable, m.table)
	r.Register(extast.KindTableHeader, m.tableHeader)
	r.Register(extast.KindTableRow, m.tableRow)
	r.Register(extast.KindTableCell, m.tableCell)
}

func (marks) heading(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, n.Level, util.EscapeHTML([]byte(anchor(n))))
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="Link to %s">#</a></h%d>`+"\n",
		util.EscapeHTML([]byte(anchor(n))), util.EscapeHTML([]byte(plain(n, source))), n.Level)
	return ast.WalkContinue, nil
}

func (marks) code(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<pre tabindex="0" role="group" aria-label="Code"><code>`)
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		gmhtml.DefaultWriter.RawWrite(w, line.Value(source))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func (marks) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<div class="wide" tabindex="0" role="group" aria-label="Table"><table>` + "\n")
	} else {
		_, _ = w.WriteString("</tbody></table></div>\n")
	}
	return ast.WalkContinue, nil
}

func (marks) tableHeader(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	switch {
	case plain(node, source) == "":
		if entering {
			_, _ = w.WriteString("<tbody>\n")
		}
		return ast.WalkSkipChildren, nil
	case entering:
		_, _ = w.WriteString("<thead><tr>")
	default:
		_, _ = w.WriteString("</tr></thead>\n<tbody>\n")
	}
	return ast.WalkContinue, nil
}

func (marks) tableRow(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<tr>")
	} else {
		_, _ = w.WriteString("</tr>\n")
	}
	return ast.WalkContinue, nil
}

func (marks) tableCell(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*extast.TableCell)
	tag := "td"
	if n.Parent().Kind() == extast.KindTableHeader && plain(n, source) != "" {
		tag = "th"
	}
	switch {
	case !entering:
		fmt.Fprintf(w, "</%s>", tag)
	case n.Alignment == extast.AlignRight:
		fmt.Fprintf(w, `<%s class="right">`, tag)
	default:
		fmt.Fprintf(w, "<%s>", tag)
	}
	return ast.WalkContinue, nil
}
