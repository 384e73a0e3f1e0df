package language

import (
	"testing"

	"reckon/engine"
)

// TestAnswer reads prompts, calculates them and compares the sentences.
func TestAnswer(t *testing.T) {
	v := trip(t)
	for _, c := range []struct{ prompt, want string }{
		{"how long for 150 miles at 60 mph?", "Driving time is 2:30:00, with Distance 150 mi and Average speed 60 mph."},
		{"how long for 150 miles at 60 mph in minutes?", "Driving time is 150 min, with Distance 150 mi and Average speed 60 mph."},
		{"how long for 100 miles at 70 mph in hours?", "Driving time is about 1.42857 h, with Distance 100 mi and Average speed 70 mph."},
		{"fuel cost for 300 miles", "Fuel cost is 40 USD, with Distance 300 mi. Assumed: Fuel economy 30 mi/gal, Fuel price 4 USD/gal and Toll share 0%."},
		{"we leave at 8:15 and drive 100 miles at 50 mph, when do we arrive?", "Arrival is 10:15 AM, with Departure 8:15 AM, Distance 100 mi and Average speed 50 mph."},
	} {
		request, trace, errs := v.Interpret(c.prompt, empty(), tripEnv)
		if len(errs) > 0 {
			t.Errorf("%q: %s\n%s", c.prompt, errs[0].Filled(), trace)
			continue
		}
		result, errs := v.domain.Calculate(nil, 0, request, tripEnv)
		if len(errs) > 0 {
			t.Errorf("%q: %s", c.prompt, errs[0].Filled())
			continue
		}
		if got := Answer(v.domain, result, ""); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.prompt, got, c.want)
		}
	}
	if got := Answer(v.domain, engine.Result{Action: "fetch", Current: 2, Calculated: -1}, ""); got != "Scenario 2 is in focus again." {
		t.Errorf("fetch: %s", got)
	}
}
