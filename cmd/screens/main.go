// Command screens takes the pictures of the README: it starts the service as a stranger would,
// comes in by the link that it prints, uses the console in a headless Chromium, and writes each
// screen in light and dark as a PNG of at most 256 colours. `make screenshots` runs it.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"reckon/http/browsertest"
)

const (
	password = "a password of pictures"
	patience = 2 * time.Minute
	mostSize = 300 << 10 // of all pictures, in bytes
)

func main() {
	program := flag.String("reckon", "bin/reckon", "the program")
	folder := flag.String("out", "http/console/screens", "folder that the pictures are written to")
	flag.Parse()
	if err := run(*program, *folder); err != nil {
		log.Fatal(err)
	}
}

func run(program, folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	data, err := os.MkdirTemp("", "screens")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	service, link, err := serve(ctx, program, data)
	if err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	defer func() {
		service.Process.Signal(syscall.SIGTERM)
		service.Wait()
	}()
	browser, err := browsertest.Program()
	if err != nil {
		return err
	}
	allocated, end := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox)...)
	defer end()
	tabbed, stop := chromedp.NewContext(allocated)
	defer stop()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	c := &camera{context: tabbed, folder: folder, origin: link[:strings.Index(link, "/console")]}
	c.signIn(link)
	for _, s := range screens {
		c.at = s.name
		s.reach(c)
		c.take(s)
	}
	if c.err == nil && c.size > mostSize {
		c.err = fmt.Errorf("the pictures have %d bytes, and may have %d", c.size, mostSize)
	}
	return c.err
}

// serve starts the service with an account, and returns it with the link that it prints last.
func serve(ctx context.Context, program, data string) (*exec.Cmd, string, error) {
	service := exec.CommandContext(ctx, program, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", data)
	out, err := service.StdoutPipe()
	if err == nil {
		err = service.Start()
	}
	if err != nil {
		return nil, "", err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if link := lines.Text(); strings.Contains(link, "/console/invitation#") {
			return service, link, nil
		}
	}
	return nil, "", errors.Join(errors.New("it printed no link"), service.Wait())
}

// camera is a tab of a browser. After its first failure it does nothing.
type camera struct {
	context context.Context
	folder  string
	origin  string
	at      string // the screen, for errors
	size    int
	err     error
}

func (c *camera) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	for _, step := range steps {
		if c.err == nil {
			if err := chromedp.Do(c.context, step); err != nil {
				c.err = fmt.Errorf("%s: %s: %w", c.at, what, err)
			}
		}
	}
}

func (c *camera) open(path string) { c.do(path, chromedp.Navigate(c.origin+path)) }

func (c *camera) script(what, text string) {
	if c.err != nil {
		return
	}
	if _, err := chromedp.Run(c.context, chromedp.Evaluate[any](text)); err != nil {
		c.err = fmt.Errorf("%s: %s: %w", c.at, what, err)
	}
}

// press clicks on what leads to another page.
func (c *camera) press(button string) {
	if c.err != nil {
		return
	}
	if _, err := chromedp.Run(c.context, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Click(chromedp.CSS(button)))); err != nil {
		c.err = fmt.Errorf("%s: pressing %s: %w", c.at, button, err)
	}
}

// write writes a question into the field that has an id.
func (c *camera) write(id, text string) { c.do(id, chromedp.SendKeys(chromedp.ID(id), text)) }

func (c *camera) signIn(link string) {
	c.at = "sign in"
	c.do("the link", chromedp.Navigate(link), chromedp.WaitNotVisible(chromedp.ID("link-field")))
	c.write("password", password)
	c.write("again", password)
	c.press("main button")
}

// take writes what the tab shows, light and dark.
func (c *camera) take(s screen) {
	for _, scheme := range []string{"light", "dark"} {
		c.do(scheme, chromedp.EmulateViewport(s.width, s.height), browsertest.LooksLike(scheme))
		if c.err != nil {
			return
		}
		taken, err := chromedp.Run(c.context, chromedp.CaptureScreenshot())
		if err == nil {
			taken, err = reduced(taken)
		}
		if err == nil {
			c.size += len(taken)
			err = os.WriteFile(filepath.Join(c.folder, s.name+"-"+scheme+".png"), taken, 0o644)
		}
		if err != nil {
			c.err = fmt.Errorf("%s, %s: %w", s.name, scheme, err)
			return
		}
		fmt.Printf("%s, %s: %d KiB\n", s.name, scheme, len(taken)>>10)
	}
}

// reduced is a picture in the 256 colours that it has most of, which suffice for text on plain
// ground.
func reduced(picture []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	bounds := full.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	var commonest []color.RGBA
	for c := range counts {
		commonest = append(commonest, c)
	}
	slices.SortFunc(commonest, func(a, b color.RGBA) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B})
	})
	palette := color.Palette{}
	for _, c := range commonest[:min(256, len(commonest))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	few := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := at(x, y)
			index, known := nearest[c]
			if !known {
				index = uint8(palette.Index(c))
				nearest[c] = index
			}
			few.SetColorIndex(x, y, index)
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few)
	return out.Bytes(), err
}
