package engine

import (
	"math"
	"strconv"
)

// reaction is a tracer that decays and feeds another one, in implicit steps of time: a system of
// two unknowns after the other, none of which may cost the digits that the steps before have left.
func reaction(n int) *shape {
	s := &shape{name: "reaction", given: map[string]float64{"h": 0.05, "a": 0.6, "b": 0.9, "c": 0.7}, bounds: map[string][2]string{}}
	s.equation("x0 = 1")
	s.equation("y0 = 0")
	for k := 1; k <= n; k++ {
		s.equation("x%d = x%d + h*(-a*x%d*y%d - b*x%d)", k, k-1, k, k, k)
		s.equation("y%d = y%d + h*(b*x%d - c*y%d^2)", k, k-1, k, k)
		s.bounds[indexed("x", k)], s.bounds[indexed("y", k)] = [2]string{"0", ""}, [2]string{"0", ""}
	}
	s.evaluate = func(g map[string]float64) map[string]float64 {
		out := map[string]float64{}
		x, y := 1.0, 0.0
		for k := 1; k <= n; k++ {
			was, before := x, y
			for range 60 {
				right := []float64{x - was + g["h"]*(g["a"]*x*y+g["b"]*x), y - before - g["h"]*(g["b"]*x-g["c"]*y*y)}
				step := gauss([][]float64{{1 + g["h"]*(g["a"]*y+g["b"]), g["h"] * g["a"] * x}, {-g["h"] * g["b"], 1 + 2*g["h"]*g["c"]*y}}, right)
				x, y = x-step[0], y-step[1]
			}
			out[indexed("x", k)], out[indexed("y", k)] = x, y
		}
		return out
	}
	s.forward, s.backward = indexed("x", n)+" "+indexed("y", n)+" "+indexed("x", n/2), "a<"+indexed("x", n)+" c<"+indexed("y", n)
	return s
}

// rocket is three stages on one another, whose masses are far from 1 and undefined below those of
// their fuel.
func rocket() *shape {
	s := &shape{name: "rocket", given: map[string]float64{
		"payload": 2000, "fuel1": 120_000, "dry1": 9000, "fuel2": 30_000, "dry2": 3000, "fuel3": 6000, "dry3": 800, "v1": 2745, "v2": 3334, "v3": 4413,
	}, bounds: map[string][2]string{"payload": {"0", ""}, "dry1": {"0", ""}, "dry2": {"0", ""}, "dry3": {"0", ""}}}
	s.equation("m3 = payload + fuel3 + dry3")
	s.equation("m2 = m3 + fuel2 + dry2")
	s.equation("m1 = m2 + fuel1 + dry1")
	s.equation("gain = v1*ln(m1/(m1 - fuel1)) + v2*ln(m2/(m2 - fuel2)) + v3*ln(m3/(m3 - fuel3))")
	s.evaluate = func(g map[string]float64) map[string]float64 {
		mass, gain := g["payload"], 0.0
		for i := 3; i >= 1; i-- {
			mass += g[indexed("fuel", i)] + g[indexed("dry", i)]
			gain += g[indexed("v", i)] * math.Log(mass/(mass-g[indexed("fuel", i)]))
		}
		return map[string]float64{"m1": mass, "gain": gain}
	}
	s.forward, s.backward = "gain m1", "payload<gain dry2<gain dry3<gain dry1<gain v2<gain fuel1<gain"
	return s
}

// bridge is a bridge of resistors whose potentials are known up to a constant.
func bridge() *shape {
	s := &shape{name: "bridge", given: map[string]float64{"v": 10, "ra": 100, "rb": 120, "rc": 100, "rd": 101}, bounds: map[string][2]string{}}
	s.equation("p - q = v")
	s.equation("p - x = ra*i")
	s.equation("x - q = rb*i")
	s.equation("p - y = rc*j")
	s.equation("y - q = rd*j")
	s.equation("u = x - y")
	s.evaluate = func(g map[string]float64) map[string]float64 {
		return map[string]float64{"i": g["v"] / (g["ra"] + g["rb"]), "u": g["v"]*g["rb"]/(g["ra"]+g["rb"]) - g["v"]*g["rd"]/(g["rc"]+g["rd"])}
	}
	s.forward, s.backward = "i u", "rb<u rc<u ra<i v<u"
	return s
}

func indexed(name string, i int) string { return name + strconv.Itoa(i) }
