package engine

// Version is the version of the rules that turn a request into a result. It is recorded in every
// event; whenever the same request could give another result, it is raised.
const Version = "18"
