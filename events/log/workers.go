package log

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// workersName names the one consumer of commands, which all nodes share.
const workersName = "workers"

// AckWait is how long a command whose worker is gone is held back from the others.
const AckWait = 3 * time.Second

// workersConfig is the consumer of commands. A command whose worker is gone for 3 s goes to
// another; it is delivered until it is acknowledged. How many are out at once the workers bound,
// which pull what they have room for: a bound here would let waiting prose hold up everything else.
func workersConfig() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       workersName,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       AckWait,
		MaxDeliver:    -1,
		MaxAckPending: -1,
	}
}

// Commands is the pull consumer of COMMANDS that all nodes share. On a single node it is on disk.
// Where the streams have replicas it is in the memory of as many servers, since what it remembers
// would be synced there at every delivery and acknowledgement; when most of them have stopped it is
// gone, or begins anew, or does nothing any more. Whoever asks for it makes it again then, from the
// first command on for which finished, asked of a command, does not say that its final event is in
// the log. What it delivers may not be on disk yet: CommandDurable waits for that.
func (l *Log) Commands(ctx context.Context, finished func(ctx context.Context, command []byte) (bool, error)) (jetstream.Consumer, error) {
	c, err := l.backing.commands(ctx, finished)
	if err != nil {
		return nil, fmt.Errorf("open consumer of commands: %w", err)
	}
	return c, nil
}

// queue is what a node knows of the consumer of commands where that is in the memory of some
// servers.
type queue struct {
	log      *Log
	replicas int

	mu      sync.Mutex
	suspect time.Time // a consumer that is older may be one from before most of the servers were started; zero for none
	silent  time.Time // since when it has not answered; zero for one that has
}

const (
	// workersSilence is how long the consumer may be silent while the log has a leader: longer than
	// an election takes, but where votes are split.
	workersSilence = 6 * time.Second
	// maxAgain is how many finished commands may be delivered once more, which costs a look at the
	// views each.
	maxAgain = 1000
)

// find finds the consumer in memory, or makes it where there is none or none of use.
// Another node may do the same: a consumer that is replaced once too often costs that some commands
// are delivered twice.
func (q *queue) find(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c, err := q.look(ctx)
	first := uint64(0)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
	case err == nil:
		q.silent = time.Time{}
		info := c.CachedInfo()
		if !info.Created.Before(q.suspect) && info.NumPending <= maxAgain {
			return c, nil
		}
		most := uint64(maxAgain)
		if info.Created.Before(q.suspect) {
			most = 1
		}
		if first, err = q.log.firstUnfinishedBehind(ctx, info.AckFloor.Stream, finished); err != nil {
			return nil, err
		}
		// Of what was found finished, some had just been delivered and is acknowledged by now.
		limited, cancel := q.log.within(ctx, answerPatience)
		defer cancel()
		if info, err = c.Info(limited); err != nil {
			return nil, err
		}
		if first <= info.AckFloor.Stream+most {
			q.suspect = time.Time{}
			return c, nil
		}
	case ctx.Err() != nil:
		return nil, err
	default:
		if q.silent.IsZero() {
			q.silent = time.Now()
		}
		if q.suspect.IsZero() && time.Since(q.silent) < workersSilence {
			return nil, err
		}
	}
	if err != nil || first == 0 {
		if first, err = q.log.firstUnfinished(ctx, finished); err != nil {
			return nil, err
		}
	}
	return q.replace(ctx, first)
}

func (q *queue) look(ctx context.Context) (jetstream.Consumer, error) {
	limited, cancel := q.log.within(ctx, answerPatience)
	defer cancel()
	return q.log.js.Consumer(limited, CommandsStream, workersName)
}

// replace makes the consumer anew.
func (q *queue) replace(ctx context.Context, first uint64) (jetstream.Consumer, error) {
	// A consumer that does nothing any more may be removed without an answer.
	limited, cancel := context.WithTimeout(ctx, clusterTry)
	defer cancel()
	if err := q.log.js.DeleteConsumer(limited, CommandsStream, workersName); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		q.log.logger.Warn("removing the consumer of commands", "error", err)
	}
	config := workersConfig()
	config.MemoryStorage = true
	config.Replicas = q.replicas
	config.DeliverPolicy = jetstream.DeliverByStartSequencePolicy
	config.OptStartSeq = first
	limited, cancel = context.WithTimeout(ctx, clusterTry)
	defer cancel()
	c, err := q.log.js.CreateConsumer(limited, CommandsStream, config)
	if errors.Is(err, jetstream.ErrConsumerExists) {
		// Another node was first. Its start is right too: whoever knows of fewer events starts earlier.
		c, err = q.look(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("make it anew: %w", err)
	}
	q.log.logger.Info("the consumer of commands is made anew", "first", first)
	q.suspect, q.silent = time.Time{}, time.Time{}
	return c, nil
}

// from reads a stream from a time on; zero is from the first message.
func from(at time.Time) jetstream.ConsumerConfig {
	c := behind(0)
	if !at.IsZero() {
		c.DeliverPolicy, c.OptStartSeq, c.OptStartTime = jetstream.DeliverByStartTimePolicy, 0, &at
	}
	return c
}

// beforeNewest is so long before the newest event of a conversation, zero where there is none.
func (l *Log) beforeNewest(ctx context.Context, while time.Duration) (time.Time, error) {
	newest, err := l.load(ctx, EventsStream, loadRequest{Last: "evt.*.conversation.*"})
	switch {
	case errors.Is(err, ErrNotFound):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, fmt.Errorf("read the newest event: %w", err)
	}
	return newest.Time.Add(-while), nil
}

// unfinishedFor is how much older than the newest event of a conversation a command without one can
// be: far beyond every deadline.
const unfinishedFor = 15 * time.Minute

// firstUnfinished is the sequence of the first command that is not finished, or the one behind the
// last command.
func (l *Log) firstUnfinished(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (uint64, error) {
	since, err := l.beforeNewest(ctx, unfinishedFor)
	if err != nil {
		return 0, err
	}
	first, _, err := l.searchUnfinished(ctx, from(since), math.MaxUint64, finished)
	return first, err
}

// manyFinished is from how many finished commands on it is better to look at those of some time
// only.
const manyFinished = 10 * maxAgain

// firstUnfinishedBehind is firstUnfinished where all commands up to a sequence are known to be
// finished. Where that is not long ago, it takes a look at few.
func (l *Log) firstUnfinishedBehind(ctx context.Context, sequence uint64, finished func(context.Context, []byte) (bool, error)) (uint64, error) {
	first, found, err := l.searchUnfinished(ctx, behind(sequence), manyFinished, finished)
	if err != nil || found {
		return first, err
	}
	return l.firstUnfinished(ctx, finished)
}

// searchUnfinished is the sequence of the first command of a search that is not finished, or the
// one behind the last command. It is not found when so many are finished that are the first.
func (l *Log) searchUnfinished(ctx context.Context, search jetstream.ConsumerConfig, most uint64, finished func(context.Context, []byte) (bool, error)) (first uint64, found bool, err error) {
	limited, cancel := context.WithTimeout(ctx, clusterTry)
	defer cancel()
	state, err := l.State(limited, CommandsStream)
	if err != nil {
		return 0, false, err
	}
	last := state.State.LastSeq
	consumer, err := l.js.CreateConsumer(limited, CommandsStream, search)
	if err != nil {
		return 0, false, fmt.Errorf("look for commands that are not finished: %w", err)
	}
	defer func() {
		// A consumer that cannot be removed goes by itself after its inactive threshold.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = l.js.DeleteConsumer(ctx, CommandsStream, consumer.CachedInfo().Name)
	}()
	if consumer.CachedInfo().NumPending == 0 {
		return last + 1, true, nil
	}
	for read := uint64(0); ; {
		batch, err := consumer.Fetch(scanBatch, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return 0, false, fmt.Errorf("look for commands that are not finished: %w", err)
		}
		before := read
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil || meta.Sequence.Consumer != read+1 {
				return 0, false, errors.New("look for commands that are not finished: one does not follow on the one before")
			}
			read = meta.Sequence.Consumer
			done, err := finished(ctx, m.Data())
			switch {
			case err != nil:
				return 0, false, err
			case !done:
				return meta.Sequence.Stream, true, nil
			case meta.NumPending == 0 || meta.Sequence.Stream >= last:
				return meta.Sequence.Stream + 1, true, nil
			case read >= most:
				return 0, false, nil
			}
		}
		if err := batch.Error(); err != nil {
			return 0, false, fmt.Errorf("look for commands that are not finished: %w", err)
		}
		if read == before {
			return last + 1, true, nil
		}
	}
}
