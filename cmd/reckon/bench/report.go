package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// goalCallers is the number of callers that the goals of rates are about.
const goalCallers = 64

// ratio compares a work with another one, or its median latency with that of an append to a file.
type ratio struct {
	name    string
	heading string
	what    string // how a goal calls it
	section section
	to      map[string]string // key of the other work by that of a work, "" for every one; nil is the append
	goal    float64           // 0 for none
	at      int               // callers that the goal is about
	most    bool              // the goal is a most and not a least
}

// ratios are the columns that compare. The append to a file is compared with one caller alone: with
// more, latencies are mostly those of others.
var ratios = []ratio{
	{name: "of_log_publishes", heading: "OF LOG", what: "of the log's two publishes", to: map[string]string{"": "log_publishes"}, goal: 0.5, at: goalCallers},
	{name: "of_synced_publishes", heading: "OF SYNCED", what: "of two publishes with a sync each", to: map[string]string{"": "synced_publishes"}, goal: 2, at: goalCallers},
	{name: "of_fresh", heading: "OF FRESH", to: map[string]string{"structured_long": "structured_fresh"}},
	{name: "p50_of_append", heading: "P50/APPEND", what: "median, to that of one append and sync", goal: 2.5, at: 1, most: true},
	{name: "of_bucket", heading: "OF BUCKET", what: "of bare reads of a bucket", section: reads, to: map[string]string{"": "bucket"}, goal: 0.5, at: goalCallers},
	{name: "of_publishes", heading: "OF PUBLISHES", section: comparisons, to: map[string]string{"one_node": "one_publishes", "three_nodes": "three_publishes"}},
	{name: "of_one", heading: "OF ONE NODE", section: comparisons, to: map[string]string{"three_nodes": "one_node", "three_publishes": "one_publishes"}},
}

// Goals that are no ratios.
const (
	goalLag        = 10 * time.Millisecond  // of the fold behind the log, 99 of 100, at half load
	goalLongDetail = 100 * time.Millisecond // of the detail of a long conversation
)

// Report is what a measurement found. Latencies are in microseconds. A comparison of nodes has rows
// only.
type Report struct {
	Version    string           `json:"version"`
	Processors int              `json:"processors"`
	Server     string           `json:"server,omitzero"` // own or its address
	Seconds    float64          `json:"seconds"`
	Messages   int              `json:"long_conversation_messages,omitzero"`
	Append     float64          `json:"append_and_sync_p50_us,omitzero"`
	Rows       []*Row           `json:"rows"`
	Lag        *lagReport       `json:"lag,omitzero"`
	Fairness   []fairnessReport `json:"fairness,omitempty"` // only of a server of the measurement's own
	Goals      []goal           `json:"goals,omitzero"`

	appends []float64 // medians by round
}

// Row is a work at a number of callers, the median of its rounds.
type Row struct {
	Work      string             `json:"work"`
	Callers   int                `json:"callers"`
	PerSecond float64            `json:"per_second"`
	P50       float64            `json:"p50_us"`
	P99       float64            `json:"p99_us"`
	P999      float64            `json:"p999_us"`
	Rounds    []float64          `json:"rounds_per_second"`
	Refused   map[int]int        `json:"refused,omitempty"` // answers that are not a 200, by status
	Ratios    map[string]float64 `json:"ratios"`

	work           work
	p50, p99, p999 []float64 // by round
}

// lagReport is how far the fold is behind the log at half load.
type lagReport struct {
	From      string  `json:"from"` // append: from an event's acknowledgement to a read that shows it; read: the read alone
	Callers   int     `json:"callers"`
	PerSecond float64 `json:"per_second"` // calculations meanwhile
	Probes    int     `json:"probes"`
	IdleP50   float64 `json:"idle_p50_us"` // without load
	P50       float64 `json:"p50_us"`
	P99       float64 `json:"p99_us"`
}

// goal is a goal beside what was measured.
type goal struct {
	Goal     string  `json:"goal"`
	Wanted   string  `json:"wanted"`
	Measured float64 `json:"measured"`
	Met      bool    `json:"met"`
}

func newReport(o Options, version string) *Report {
	r := &Report{Version: version, Processors: runtime.NumCPU(), Seconds: o.Seconds}
	if o.Nodes == 1 {
		r.Server, r.Messages, r.Goals = cmp.Or(o.URL, "own"), o.Messages, []goal{}
	}
	return r
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// median is the middle of some numbers, 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// row is the row of a work at a number of callers, nil where it was not measured.
func (r *Report) row(key string, callers int) *Row {
	for _, row := range r.Rows {
		if row.Work == key && row.Callers == callers {
			return row
		}
	}
	return nil
}

// add takes a round of a work in.
func (r *Report) add(w work, callers int, s *sample) {
	row := r.row(w.key, callers)
	if row == nil {
		row = &Row{Work: w.key, Callers: callers, Ratios: map[string]float64{}, work: w}
		r.Rows = append(r.Rows, row)
	}
	row.Rounds = append(row.Rounds, s.perSecond)
	row.p50 = append(row.p50, micros(s.quantile(0.5)))
	row.p99 = append(row.p99, micros(s.quantile(0.99)))
	row.p999 = append(row.p999, micros(s.quantile(0.999)))
	for status, n := range s.refused {
		if row.Refused == nil {
			row.Refused = map[int]int{}
		}
		row.Refused[status] += n
	}
}

// finish makes medians and ratios of the rounds.
func (r *Report) finish() {
	r.Append = median(r.appends)
	for _, row := range r.Rows {
		row.PerSecond, row.P50, row.P99, row.P999 = median(row.Rounds), median(row.p50), median(row.p99), median(row.p999)
		for _, c := range ratios {
			if c.section != row.work.section {
				continue
			}
			mine, theirs := row.p50, r.appends
			if c.to != nil {
				other := r.row(cmp.Or(c.to[row.Work], c.to[""]), row.Callers)
				if other == nil || other == row {
					continue
				}
				mine, theirs = row.Rounds, other.Rounds
			} else if row.Callers != 1 {
				continue
			}
			if list := quotients(mine, theirs); len(list) > 0 {
				row.Ratios[c.name] = median(list)
			}
		}
	}
}

// quotients divides round by round, where both were measured.
func quotients(mine, theirs []float64) []float64 {
	var list []float64
	for i := range mine {
		if mine[i] > 0 && theirs[i] > 0 {
			list = append(list, mine[i]/theirs[i])
		}
	}
	return list
}

// judge lists the goals whose numbers were measured.
func (r *Report) judge() {
	for _, row := range r.Rows {
		for _, c := range ratios {
			measured, ok := row.Ratios[c.name]
			if ok && c.judges(row) {
				r.Goals = append(r.Goals, goal{
					fmt.Sprintf("%s, %s: %s", row.work.title, counted(row.Callers, "caller"), c.what), c.wanted(), rounded(measured), c.met(measured),
				})
			}
		}
		if row.work.key == "long_detail" && row.P50 > 0 {
			r.Goals = append(r.Goals, under(fmt.Sprintf("detail of %s, median", counted(r.Messages, "message")), row.P50, goalLongDetail))
		}
	}
	if r.Lag.Probes > 0 {
		r.Goals = append(r.Goals, under("projection lag at half load, 99 of 100", r.Lag.P99, goalLag))
	}
	for _, f := range r.Fairness {
		if f.Ratio > 0 {
			r.Goals = append(r.Goals, goal{
				"99 of 100 beside another account's " + f.Load + ", to those alone", fmt.Sprintf("at most %v", f.Goal),
				rounded(f.Ratio), f.Ratio <= f.Goal,
			})
		}
	}
}

// under is a goal in milliseconds.
func under(what string, us float64, most time.Duration) goal {
	return goal{what, fmt.Sprintf("under %d ms", most.Milliseconds()), rounded(us / 1e3), us < micros(most)}
}

func (c ratio) judges(row *Row) bool {
	return c.goal > 0 && row.work.judged && row.Callers == c.at
}

func (c ratio) met(measured float64) bool {
	if c.most {
		return measured <= c.goal
	}
	return measured >= c.goal
}

func (c ratio) wanted() string {
	if c.most {
		return fmt.Sprintf("at most %v", c.goal)
	}
	return fmt.Sprintf("at least %v", c.goal)
}

func rounded(f float64) float64 { return math.Round(f*1000) / 1000 }

// Print writes the report for people.
func (r *Report) Print(to io.Writer) error {
	if r.Server == "" {
		fmt.Fprintf(to, "Reckon %s, one node and %d of a cluster on the same %s; medians of %d rounds, together %v s for each line.\n\n",
			r.Version, clusterSize, counted(r.Processors, "processor"), rounds, r.Seconds)
		return r.table(to, comparisons, "CALCULATIONS, PUBLISHES")
	}
	server := r.Server
	if server == "own" {
		server = "a server of its own"
	}
	fmt.Fprintf(to, "Reckon %s, %s, %s; medians of %d rounds, together %v s for each line.\n", r.Version, server, counted(r.Processors, "processor"), rounds, r.Seconds)
	fmt.Fprintf(to, "One append and sync of %d bytes takes %s.\n", appendedBytes, latency(r.Append))
	for s, title := range []string{calculations: "CALCULATIONS", reads: "READS"} {
		fmt.Fprintln(to)
		if err := r.table(to, section(s), title); err != nil {
			return err
		}
	}
	fmt.Fprintf(to, "\nProjection lag at %s calculations a second: %s, 99 of 100 within %s (without load %s; %s).\n\n",
		whole(r.Lag.PerSecond), latency(r.Lag.P50), latency(r.Lag.P99), latency(r.Lag.IdleP50), lagFrom[r.Lag.From])
	for _, f := range r.Fairness {
		fmt.Fprintf(to, "Of one account's calculations by %d callers 99 of 100 take %s alone, and %s beside %d callers of another account: %s, %s a second. %s refused.\n\n",
			lightCallers, latency(f.Alone), latency(f.Beside), f.Callers, f.Load, whole(f.PerSecond), counted(f.Refused, "request"))
	}
	if len(r.Goals) == 0 {
		_, err := fmt.Fprintln(to, "No goal is about these numbers of callers.")
		return err
	}
	rows := [][]string{{"GOAL", "WANTED", "MEASURED"}}
	for _, g := range r.Goals {
		met := "met"
		if !g.Met {
			met = "missed"
		}
		rows = append(rows, []string{g.Goal, g.Wanted, fmt.Sprintf("%.2f", g.Measured), met})
	}
	return aligned(to, rows)
}

// aligned writes rows in columns.
func aligned(to io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// lagFrom says what the numbers of the lag hold.
var lagFrom = map[string]string{
	"append": "from an event's acknowledgement to the end of a read that shows it",
	"read":   "a read that waits for the newest event",
}

// table writes the rows of a section, by callers.
func (r *Report) table(to io.Writer, s section, title string) error {
	of := slices.DeleteFunc(slices.Clone(ratios), func(c ratio) bool { return c.section != s })
	lines := [][]string{{"CALLERS", title, "A SECOND", "P50", "P99", "P99.9"}}
	for _, c := range of {
		lines[0] = append(lines[0], c.heading)
	}
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(a, b *Row) int { return a.Callers - b.Callers })
	for _, row := range rows {
		if row.work.section != s {
			continue
		}
		cells := []string{fmt.Sprint(row.Callers), row.work.title, whole(row.PerSecond), latency(row.P50), latency(row.P99), latency(row.P999)}
		for _, c := range of {
			cells = append(cells, c.cell(row))
		}
		if len(row.Refused) > 0 {
			cells = append(cells, refusals(row.Refused))
		}
		lines = append(lines, cells)
	}
	return aligned(to, lines)
}

// cell is a ratio with its goal, where it has one.
func (c ratio) cell(row *Row) string {
	measured, ok := row.Ratios[c.name]
	switch {
	case !ok:
		return "-"
	case c.judges(row):
		return fmt.Sprintf("%.2f (%s)", measured, c.wanted())
	}
	return fmt.Sprintf("%.2f", measured)
}

func refusals(byStatus map[int]int) string {
	var list []string
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		list = append(list, fmt.Sprintf("%d answers with status %d", byStatus[status], status))
	}
	return strings.Join(list, ", ")
}

func whole(f float64) string { return grouped(int(math.Round(f))) }

// grouped writes a count in groups of three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// latency writes microseconds with about three digits.
func latency(us float64) string {
	switch {
	case us == 0:
		return "-"
	case us < 10:
		return fmt.Sprintf("%.1f µs", us)
	case us < 1000:
		return fmt.Sprintf("%.0f µs", us)
	case us < 10_000:
		return fmt.Sprintf("%.2f ms", us/1e3)
	case us < 1e6:
		return fmt.Sprintf("%.1f ms", us/1e3)
	}
	return fmt.Sprintf("%.2f s", us/1e6)
}
