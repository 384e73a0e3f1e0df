package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// workersName names the one consumer of commands, which all nodes share.
const workersName = "workers"

// workersConfig is the consumer of commands. A command whose worker is gone for 3 s goes to another; it is delivered
// until it is acknowledged. How many are out at once the workers bound, which pull what they have room for: a bound here
// would let waiting prose hold up everything else.
func workersConfig() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       workersName,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       3 * time.Second,
		MaxDeliver:    -1,
		MaxAckPending: -1,
	}
}

// Commands is the pull consumer of COMMANDS that all nodes share. On a single node it is on disk. Where the streams have
// replicas it is in the memory of as many servers, since what it remembers would be synced there at every delivery and
// acknowledgement; it is gone when most of them have stopped, and whoever asks for it makes it again, from the first
// command on for which finished, asked of a command, does not say that its final event is in the log. What it delivers may not
// be on disk yet: CommandDurable waits for that.
func (l *Log) Commands(ctx context.Context, finished func(ctx context.Context, command []byte) (bool, error)) (jetstream.Consumer, error) {
	c, err := l.commands(ctx, finished)
	if err != nil {
		return nil, fmt.Errorf("open consumer of commands: %w", err)
	}
	return c, nil
}

func (l *Log) commands(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error) {
	if l.replicas == 0 {
		return l.lastingWorkers(ctx)
	}
	c, err := l.js.Consumer(ctx, commandsStream, workersName)
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return c, err
	}
	first, err := l.firstUnfinished(ctx, finished)
	if err != nil {
		return nil, err
	}
	config := workersConfig()
	config.MemoryStorage = true
	config.Replicas = l.replicas
	config.DeliverPolicy = jetstream.DeliverByStartSequencePolicy
	config.OptStartSeq = first
	c, err = l.js.CreateConsumer(ctx, commandsStream, config)
	if errors.Is(err, jetstream.ErrConsumerExists) {
		// Another node was first. Its start is right too: whoever knows of fewer events starts earlier.
		return l.js.Consumer(ctx, commandsStream, workersName)
	}
	return c, err
}

// lastingWorkers is the consumer on the disk of a single server.
func (l *Log) lastingWorkers(ctx context.Context) (jetstream.Consumer, error) {
	if l.commit != nil && l.commit.forgetQueue() {
		l.logger.Warn("the state of the queue was lost: all commands are delivered again")
	}
	c, err := l.js.CreateOrUpdateConsumer(ctx, commandsStream, workersConfig())
	if err == nil && l.commit != nil {
		err = syncVolume(l.dir) // the files of a new consumer
	}
	return c, err
}

// unfinishedFor is how much older than the newest event of a conversation a command without one can be: far beyond every
// deadline.
const unfinishedFor = 15 * time.Minute

// firstUnfinished is the sequence of the first command that is not finished, or the one behind the last command.
func (l *Log) firstUnfinished(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (uint64, error) {
	search := behind(0)
	newest, err := l.load(ctx, eventsStream, loadRequest{Last: "evt.*.conversation.*"})
	switch {
	case err == nil:
		since := newest.Time.Add(-unfinishedFor)
		search.DeliverPolicy, search.OptStartSeq, search.OptStartTime = jetstream.DeliverByStartTimePolicy, 0, &since
	case !errors.Is(err, ErrNotFound):
		return 0, fmt.Errorf("read the newest event: %w", err)
	}
	state, err := l.state(ctx, commandsStream)
	if err != nil {
		return 0, err
	}
	last := state.State.LastSeq
	consumer, err := l.js.CreateConsumer(ctx, commandsStream, search)
	if err != nil {
		return 0, fmt.Errorf("look for commands that are not finished: %w", err)
	}
	defer func() {
		// A consumer that cannot be removed goes by itself after its inactive threshold.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = l.js.DeleteConsumer(ctx, commandsStream, consumer.CachedInfo().Name)
	}()
	for read := uint64(0); ; {
		batch, err := consumer.Fetch(scanBatch, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return 0, fmt.Errorf("look for commands that are not finished: %w", err)
		}
		before := read
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil || meta.Sequence.Consumer != read+1 {
				return 0, errors.New("look for commands that are not finished: one does not follow on the one before")
			}
			read = meta.Sequence.Consumer
			done, err := finished(ctx, m.Data())
			switch {
			case err != nil:
				return 0, err
			case !done:
				return meta.Sequence.Stream, nil
			case meta.NumPending == 0 || meta.Sequence.Stream >= last:
				return meta.Sequence.Stream + 1, nil
			}
		}
		if err := batch.Error(); err != nil {
			return 0, fmt.Errorf("look for commands that are not finished: %w", err)
		}
		if read == before {
			return last + 1, nil
		}
	}
}
