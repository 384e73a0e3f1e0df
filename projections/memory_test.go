package projections

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"text/tabwriter"
)

// memoryParts name what of the heap is in use by the functions that allocated it: a part is the
// first one of which each name stands in a line of the stack.
var memoryParts = []struct {
	name string
	of   []string
}{
	{"blocks of the log and the views' server, by subject (for two minutes)", []string{"stree.", "indexCacheBuf"}},
	{"blocks of the log and the views' server, by subject (for two minutes)", []string{"stree.", "writeMsgRecord"}},
	{"index of the log and the views' server, by subject", []string{"stree."}},
	{"blocks of the log and the views' server, their bytes", []string{"getMsgBlockBuf"}},
	{"order of conversations", []string{"projections.(*recency)"}},
	{"cached heads and messages", []string{"projections.(*Cache["}},
	{"events on their way from the log", []string{"nats%2ego.(*Conn).readLoop"}},
	{"events on their way from the log", []string{"events.(*Log).readBlocks"}},
	{"events and documents within the servers", []string{"nats-server/v2/server."}},
	{"what is folded and not written yet", []string{"projections.(*generation).stage"}},
	{"what is folded and not written yet", []string{"projections.(*bucket).writeBuffer"}},
}

// memoryTable says what the memory of the process is used for, in MiB: of the heap as the last
// collection left it, by parts, and of the rest as the runtime counts it.
func memoryTable() string {
	records := make([]runtime.MemProfileRecord, 1024)
	for {
		n, ok := runtime.MemProfile(records, false)
		if ok {
			records = records[:n]
			break
		}
		records = make([]runtime.MemProfileRecord, n+1024)
	}
	sizes, order := map[string]float64{}, []string{}
	add := func(name string, size float64) {
		if _, ok := sizes[name]; !ok {
			order = append(order, name)
		}
		sizes[name] += size
	}
	for _, p := range memoryParts {
		add(p.name, 0)
	}
	for _, r := range records {
		add(partOf(r.Stack()), sampled(r.InUseBytes(), r.InUseObjects()))
	}
	var values []metrics.Sample
	for _, name := range []string{"/memory/classes/heap/objects:bytes", "/gc/heap/live:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"} {
		values = append(values, metrics.Sample{Name: name})
	}
	metrics.Read(values)
	is := func(i int) float64 { return float64(values[i].Value.Uint64()) }
	add("garbage since the last collection", is(0)-is(1))
	add("free in the heap, not given back yet", is(2)+is(3))
	add("stacks, and the runtime's own", is(4)-is(5)-is(0)-is(2)-is(3))
	add("the program, mapped from its file", status("RssFile")*(1<<20))
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 1, ' ', tabwriter.AlignRight)
	sum := 0.0
	for _, name := range order {
		fmt.Fprintf(w, "%.0f\t  %s\n", sizes[name]/(1<<20), name)
		sum += sizes[name]
	}
	fmt.Fprintf(w, "%.0f\t  all of these; resident are %.0f\n", sum/(1<<20), resident())
	w.Flush()
	return text.String()
}

// partOf names the part that a stack allocates for.
func partOf(stack []uintptr) string {
	var lines []string
	for frames, more := runtime.CallersFrames(stack), true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		lines = append(lines, f.Function)
	}
	all := strings.Join(lines, "\n")
part:
	for _, p := range memoryParts {
		for _, name := range p.of {
			if !strings.Contains(all, name) {
				continue part
			}
		}
		return p.name
	}
	return "other"
}

// sampled is how many bytes samples of so many bytes and objects stand for.
func sampled(size, objects int64) float64 {
	if objects == 0 {
		return 0
	}
	return float64(size) / (1 - math.Exp(-float64(size)/float64(objects)/float64(runtime.MemProfileRate)))
}
