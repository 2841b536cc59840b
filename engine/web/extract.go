package web

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"forge/engine/tool"
	"forge/internal/inert"
)

// The limits of what is read of a page.
const (
	maxLinks    = 200
	maxLinkText = 100 // bytes
	maxToken    = 1 << 20
)

// unseen are elements whose text no browser shows.
var unseen = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true, atom.Object: true,
}

// before is what an element begins with, if anything: at least a new line.
var before = map[atom.Atom]string{
	atom.P: "\n", atom.Div: "\n", atom.Br: "\n", atom.Tr: "\n", atom.Ul: "\n", atom.Ol: "\n", atom.Table: "\n", atom.Section: "\n",
	atom.Article: "\n", atom.Header: "\n", atom.Footer: "\n", atom.Main: "\n", atom.Nav: "\n", atom.Aside: "\n", atom.Form: "\n",
	atom.Blockquote: "\n", atom.Pre: "\n", atom.Dl: "\n", atom.Dt: "\n", atom.Dd: "\n", atom.Hr: "\n", atom.Figure: "\n", atom.Option: "\n",
	atom.Li: "\n- ", atom.H1: "\n# ", atom.H2: "\n## ", atom.H3: "\n### ", atom.H4: "\n#### ", atom.H5: "\n##### ", atom.H6: "\n###### ",
	atom.Td: " ", atom.Th: " ",
}

// extract returns what a page of HTML shows: its text in lines, its title and its links. Markup that is broken is read as far as it can be.
func extract(address, source string) tool.Page {
	e := extraction{seen: map[string]bool{}}
	e.base, _ = url.Parse(address)
	tokens := html.NewTokenizer(strings.NewReader(source))
	tokens.SetMaxBuf(maxToken)
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		switch kind {
		case html.TextToken:
			e.write(token.Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			e.begin(token, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			e.end(token.DataAtom)
		case html.ErrorToken, html.CommentToken, html.DoctypeToken:
		}
	}
	e.closeLink()
	return tool.Page{URL: address, Title: oneLine(e.title.String()), Text: inert.Text(strings.TrimSpace(e.text.String())), Links: e.links}
}

// extraction is a page while it is read.
type extraction struct {
	base        *url.URL
	text, title strings.Builder
	last        byte // of text
	marked      bool // the line has nothing but its mark, as "- "
	hidden      int  // elements around that are not shown
	inTitle     bool
	pre         int // elements around in which spaces count
	links       []tool.Link
	seen        map[string]bool
	link        *tool.Link // the one that is open
}

func (e *extraction) begin(t html.Token, closed bool) {
	mark := before[t.DataAtom]
	e.put(mark)
	e.marked = e.marked || len(mark) > 1
	switch {
	case unseen[t.DataAtom]:
		if !closed {
			e.hidden++
		}
	case t.DataAtom == atom.Title:
		e.inTitle = e.title.Len() == 0
	case t.DataAtom == atom.Pre:
		e.pre++
	case t.DataAtom == atom.A:
		e.openLink(t)
	}
}

func (e *extraction) end(name atom.Atom) {
	switch {
	case unseen[name]:
		e.hidden = max(0, e.hidden-1)
	case name == atom.Title:
		e.inTitle = false
	case name == atom.Pre:
		e.pre = max(0, e.pre-1)
	case name == atom.A:
		e.closeLink()
	}
	if strings.HasPrefix(before[name], "\n") && name != atom.Br {
		e.put("\n")
	}
}

// write adds text of the page where it belongs.
func (e *extraction) write(text string) {
	switch {
	case e.hidden > 0:
		return
	case e.inTitle:
		e.title.WriteString(text)
		return
	}
	if e.link != nil && len(e.link.Text) < maxLinkText {
		e.link.Text += text
	}
	if e.pre > 0 {
		e.put(text)
		return
	}
	words := strings.Fields(text)
	if len(words) == 0 || strings.ContainsAny(text[:1], " \t\r\n") {
		e.put(" ")
	}
	e.put(strings.Join(words, " "))
	if len(words) > 0 && strings.ContainsAny(text[len(text)-1:], " \t\r\n") {
		e.put(" ")
	}
}

// put adds text, without a second space, a space at the beginning of a line and an empty line.
func (e *extraction) put(text string) {
	if e.hidden > 0 || text == "" {
		return
	}
	if e.pre == 0 {
		atStart := e.text.Len() == 0 || e.last == '\n'
		if atStart || e.last == ' ' {
			text = strings.TrimPrefix(text, " ")
		}
		if atStart {
			text = strings.TrimPrefix(text, "\n")
		}
		if text == "" || text == "\n" && e.marked {
			return
		}
	}
	e.marked = false
	e.text.WriteString(text)
	e.last = text[len(text)-1]
}

func (e *extraction) openLink(t html.Token) {
	e.closeLink()
	for _, attribute := range t.Attr {
		if attribute.Key != "href" || e.base == nil {
			continue
		}
		to, err := e.base.Parse(strings.TrimSpace(attribute.Val))
		if err == nil && to.Scheme == "https" && to.User == nil {
			to.Fragment = ""
			e.link = &tool.Link{URL: to.String()}
		}
	}
}

// closeLink keeps a link, unless its address is known.
func (e *extraction) closeLink() {
	if l := e.link; l != nil && !e.seen[l.URL] && len(e.links) < maxLinks {
		e.seen[l.URL] = true
		l.Text = oneLine(l.Text)
		e.links = append(e.links, *l)
	}
	e.link = nil
}

// oneLine is a short text on one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(inert.Text(text)), " ")
	if len(text) > maxLinkText {
		text = strings.ToValidUTF8(text[:maxLinkText], "") + "…"
	}
	return text
}
