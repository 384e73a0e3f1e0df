package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
)

// parseID reads an id that a flag gives.
func parseID(flag, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id == uuid.Nil { // which stands for none
		return id, fmt.Errorf("%s %q is no id: give one such as 0199c0de-0000-7000-8000-000000000000, as answers have them", flag, text)
	}
	return id, nil
}

// parseTime reads a time, or a date, whose day begins in UTC.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// parseSince reads a time or how long ago it was; "" is for ever.
func parseSince(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, ok := parseTime(text); ok {
		return at, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 100_000 {
			return time.Now().AddDate(0, 0, -n), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("--since %q: give how long ago (30d, 12h, 90m), a date (2026-03-05) or a time (2026-03-05T14:07:00Z)", text)
}

// momentOf reads the flags that say when and where a calculation takes place; without a time it is
// the clock's.
func momentOf(now, zone string) (time.Time, *time.Location, error) {
	location, ok := commands.Zone(zone)
	if !ok {
		return time.Time{}, nil, fmt.Errorf("--time-zone %q is not known: give an IANA name such as Europe/Berlin", zone)
	}
	if now == "" {
		return time.Now(), location, nil
	}
	moment, err := time.Parse(time.RFC3339, now)
	if err != nil {
		return time.Time{}, nil, fmt.Errorf("--now %q: give a time such as 2026-03-05T14:07:00Z", now)
	}
	return moment, location, nil
}
