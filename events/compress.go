package events

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Bodies that no message of the log holds as they are, such as those of domain files of several
// MiB, and prompts that are stored apart, are compressed, as Content-Encoding says. Others are not,
// so that earlier versions read them.
const (
	headerEncoding = "Content-Encoding"
	compressed     = "zstd"
	plainBody      = 3 << 20  // from where on a body is compressed
	wholeBody      = 64 << 20 // no body has more
)

// Compress makes JSON of more than some MiB shorter. It fails for more than 64 MiB.
func Compress(text []byte) (short []byte, done bool, err error) {
	if len(text) <= plainBody {
		return text, false, nil
	}
	if len(text) > wholeBody {
		return nil, false, fmt.Errorf("compress %d MiB: %d are the most", len(text)>>20, wholeBody>>20)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, false, fmt.Errorf("compress JSON: %w", err)
	}
	short = w.EncodeAll(text, nil)
	if err := w.Close(); err != nil {
		return nil, false, fmt.Errorf("compress JSON: %w", err)
	}
	return short, true, nil
}

// quick are encoders for prompts. To make one takes ten times as long as to compress a short one.
var quick = sync.Pool{New: func() any {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10), zstd.WithSingleSegment(true))
	if err != nil {
		panic(fmt.Sprintf("make an encoder: %v", err)) // of options that are wrong
	}
	return w
}}

// compressPrompt makes the JSON of a prompt shorter.
func compressPrompt(text []byte) []byte {
	w := quick.Get().(*zstd.Encoder)
	defer quick.Put(w)
	return w.EncodeAll(text, nil)
}

// header is that of compressed text; false of JSON.
func header(text []byte) (h zstd.Header, ok bool) {
	return h, h.Decode(text) == nil && !h.Skippable
}

// Length is how many bytes JSON has that Compress may have made shorter.
func Length(text []byte) int {
	if h, ok := header(text); ok {
		return int(h.FrameContentSize)
	}
	return len(text)
}

// Expand undoes Compress. JSON is returned as it is.
func Expand(text []byte) ([]byte, error) {
	h, ok := header(text)
	if !ok {
		return text, nil
	}
	if h.FrameContentSize > wholeBody {
		return nil, fmt.Errorf("expand JSON: it has more than %d MiB", wholeBody>>20)
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(wholeBody))
	if err != nil {
		return nil, fmt.Errorf("expand JSON: %w", err)
	}
	defer r.Close()
	whole, err := r.DecodeAll(text, make([]byte, 0, h.FrameContentSize))
	if err != nil {
		return nil, fmt.Errorf("expand JSON: %w", err)
	}
	return whole, nil
}
