// Package mockable replaces utils/timer/mockable/clock.go of avalanchego in the
// recorder's node, and nothing else does. Locktimes are part of transactions, so a
// recording can only be repeated byte for byte if the node's clock shows the time
// of the recording.
package mockable

import (
	"os"
	"strconv"
	"time"
)

// MaxTime is the last second that time.Time can hold.
var MaxTime = time.Unix(1<<63-62135596801, 0)

// offset is added to the real time: the variable says what the clock shows when
// the process starts, in unix seconds.
var offset = func() time.Duration {
	seconds, err := strconv.ParseInt(os.Getenv("RECORDER_CLOCK_START"), 10, 64)
	if err != nil {
		return 0
	}
	return time.Until(time.Unix(seconds, 0))
}()

// Clock is the real time with the offset, or a time that was set.
type Clock struct {
	faked bool
	time  time.Time
}

func (c *Clock) Set(time time.Time) { c.faked, c.time = true, time }

func (c *Clock) Sync() { c.faked = false }

func (c *Clock) Time() time.Time {
	if c.faked {
		return c.time
	}
	return time.Now().Add(offset)
}

func (c *Clock) UnixTime() time.Time { return c.Time().Truncate(time.Second) }

func (c *Clock) Unix() uint64 { return uint64(max(c.Time().Unix(), 0)) }
