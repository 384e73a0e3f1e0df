package engine

var calendar = []*function{}
