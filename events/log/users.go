package log

import (
	"github.com/nats-io/nats-server/v2/server"
)

const (
	readerName  = "reader"
	processName = "process"
	systemName  = "system"

	// inboxPrefix is where Reckon's own connections hear answers, commands among them. A reader
	// hears all of _INBOX.
	inboxPrefix = "_RECKON"
)

// users are who may connect to the log's server: the process, the command line of the same data
// directory, which deletes nothing, and a reader of events.
func (c credentials) users() []*server.User {
	const api = "$JS.API.STREAM."
	deleting := &server.SubjectPermission{Deny: []string{api + "MSG.DELETE.>", api + "PURGE.>", api + "DELETE.>"}}
	return []*server.User{
		{Username: processName, Password: c.own},
		{Username: c.User, Password: c.Password, Permissions: &server.Permissions{Publish: deleting}},
		{Username: readerName, Password: c.reader, Permissions: readerPermissions()},
	}
}

// readerPermissions allow to make consumers of EVENTS and to read with them, to get single events,
// and to ask what is on disk. They do not allow to remove a consumer: names of others could be
// given. Subjects of events are not heard as they come, before they are in the stream. They keep
// programs from mistakes and are no wall: a consumer, and an answer, can be sent to any subject.
func readerPermissions() *server.Permissions {
	const api = "$JS.API."
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			api + "STREAM.INFO." + EventsStream,
			api + "STREAM.MSG.GET." + EventsStream,
			api + "DIRECT.GET." + EventsStream,
			api + "DIRECT.GET." + EventsStream + ".>",
			api + "CONSUMER.CREATE." + EventsStream,
			api + "CONSUMER.CREATE." + EventsStream + ".>",
			api + "CONSUMER.DURABLE.CREATE." + EventsStream + ".*",
			api + "CONSUMER.INFO." + EventsStream + ".*",
			api + "CONSUMER.NAMES." + EventsStream,
			api + "CONSUMER.LIST." + EventsStream,
			api + "CONSUMER.MSG.NEXT." + EventsStream + ".*",
			"$JS.ACK." + EventsStream + ".>",
			"$JS.FC." + EventsStream + ".>",
			"reckon.log.*.commit",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}
}
