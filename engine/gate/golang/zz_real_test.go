package golang
import ("testing";"os";"fmt")
func TestRealX(t *testing.T) {
	for _, d := range []string{"github.com/google/uuid@v1.6.0","go.yaml.in/yaml/v3@v3.0.6", "github.com/stretchr/testify@v1.12.1","pgregory.net/rapid@v1.3.0"} {
		src := "/root/go/pkg/mod/"+d
		if _, err := os.Stat(src); err != nil { fmt.Println("none", d); continue }
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS(src)); err != nil { t.Fatal(err) }
		for _, g := range Gates(machine()) {
			r := g.Run(t.Context(), dir(root))
			fmt.Println(d, r.Gate, r.Verdict, r.Executed, r.Passed, r.Elapsed, r.Summary)
			fmt.Print(show(r.Findings))
		}
	}
}
