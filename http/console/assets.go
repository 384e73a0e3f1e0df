package console

import (
	"embed"

	"reckon/http"
)

//go:embed assets
var embedded embed.FS

func newAssets() *http.Files { return http.NewFiles(Path+"/assets", embedded) }

// asset answers with a file, which a browser may keep for ever.
func (c *Console) asset(v *visit) (http.Answer, error) { return c.assets.Answer(v.x) }
