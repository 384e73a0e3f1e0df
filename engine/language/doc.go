// Package language reads a prompt in prose against a domain, without a model and without any state:
// tokens, then the quantities that the prompt states, each with every way to read it, then the
// assignment of quantities to variables and the target, chosen together. What it is not sure of it
// doubts, naming the words: a wrong answer costs more than a refusal.
//
// Nothing here calculates. A quantity is handed on as text in the grammar of structured text, which
// is read as if it had been typed there.
//
// The words of a language are tables of text in a folder of its own, english and german: number
// words, spoken units, names of money, months and clock phrases, words that are not what they look
// like. Rows of them carry an example which runs as a test. The code knows no word of any.
// README.md tells the design.
package language
