package admin

import (
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// Passkey is a passkey of a user as lists show it.
type Passkey struct {
	ID             uuid.UUID  `json:"id"`
	Name           string     `json:"name"`
	BackupEligible bool       `json:"backup_eligible"` // it may be on several devices
	CreatedAt      time.Time  `json:"created_at"`
	LastUsedAt     *time.Time `json:"last_used_at"` // null for never
}

func (q *request) passkeys(of projections.User) (http.Answer, error) {
	rows := []Passkey{}
	for _, p := range of.Passkeys {
		rows = append(rows, Passkey{p.ID, p.Name, p.BackupEligible, p.CreatedAt, p.LastUsedAt})
	}
	return answerPart(q, "passkeys", of.ID, rows)
}

func (q *request) removePasskey(of projections.User) (http.Answer, error) {
	id, ok := q.ID("passkey")
	if !ok {
		return http.Answer{}, http.NotFound("There is no passkey with this id.")
	}
	if err := q.admin.RemovePasskey(q.ctx(), of.Email, id); err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: Ended{id, "removed"}}, nil
}
