package engine

import (
	"fmt"
	"strings"
)

// lookAlikes are letters and digits that most typefaces draw alike, those of Latin first, by the
// confusables of Unicode's technical standard 39 and without what only some typefaces confuse.
var lookAlikes = []string{
	"aаαɑ", "cсϲ", "dԁ", "eе", "gɡ", "hһ", "iіιı", "jјϳ", "l1IІӀӏΙ", "oоοօ", "pрρ", "qԛ", "sѕ", "uυս", "vνѵ",
	"wԝ", "xх", "yу", "AАΑ", "BВΒ", "CСϹ", "EЕΕ", "GԌ", "HНΗ", "JЈ", "KКΚ", "MМΜ", "NΝ", "O0ОΟ", "PРΡ",
	"SЅ", "TТΤ", "XХΧ", "YΥҮ", "ZΖ", "3З",
}

// plainest is for each letter of lookAlikes the first one that looks like it.
var plainest = func() map[rune]rune {
	m := map[rune]rune{}
	for _, alike := range lookAlikes {
		first := []rune(alike)[0]
		for _, r := range alike {
			m[r] = first
		}
	}
	return m
}()

// plainForm is a key in the plainest letters that look like its own. Letters of full width, and
// those of mathematics in bold and other faces, are the Latin ones that they are made from.
func plainForm(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '！' <= r && r <= '～':
			r -= '！' - '!'
		case 0x1d400 <= r && r < 0x1d6a4:
			if r = (r - 0x1d400) % 52; r < 26 {
				r += 'A'
			} else {
				r += 'a' - 26
			}
		case 0x1d7ce <= r && r <= 0x1d7ff:
			r = '0' + (r-0x1d7ce)%10
		}
		if first, ok := plainest[r]; ok {
			return first
		}
		return r
	}, key)
}

// parting is the first place where two keys of one plain form differ, in words.
func parting(a, b string) string {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < min(len(x), len(y))-1 && x[i] == y[i] {
		i++
	}
	return fmt.Sprintf("character %d is U+%04X there and U+%04X here", i+1, x[i], y[i])
}
