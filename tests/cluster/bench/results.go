package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// results of a run, as they stand in the JSON file.
type results struct {
	Machine machine   `json:"machine"`
	Started time.Time `json:"started"`
	Took    string    `json:"took"`
	Options string    `json:"options"`
	Rows    []*row    `json:"rows"`
}

// row is one line of the table.
type row struct {
	Name    string             `json:"name"`
	What    string             `json:"what"`
	Unit    string             `json:"unit"`
	Figures map[string]*figure `json:"figures"` // by who: kubelet, agent, bare client
	Checks  []check            `json:"checks"`
}

// figure is what was measured of one of the contestants.
type figure struct {
	Value   float64   `json:"value"`           // the median of the samples, or the only one
	Above   bool      `json:"above,omitempty"` // it was not waited for any longer
	Samples []float64 `json:"samples,omitempty"`
	Note    string    `json:"note,omitempty"`
}

// check is one thing that decides.
type check struct {
	What    string  `json:"what"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	Reached bool    `json:"reached"`
}

const (
	kubelet    = "kubelet"
	agent      = "agent"
	bareClient = "bare client"
)

// row finds a row or adds it.
func (r *results) row(name, what, unit string) *row {
	for _, known := range r.Rows {
		if known.Name == name {
			return known
		}
	}
	added := &row{Name: name, What: what, Unit: unit, Figures: map[string]*figure{}}
	r.Rows = append(r.Rows, added)
	return added
}

// samples notes what was measured of who, and makes its median the figure.
func (r *row) samples(who string, samples []float64, note string, args ...any) {
	r.Figures[who] = &figure{Value: median(samples), Samples: samples, Note: fmt.Sprintf(note, args...)}
}

// single notes the only measurement of who.
func (r *row) single(who string, value float64, note string, args ...any) {
	r.Figures[who] = &figure{Value: value, Note: fmt.Sprintf(note, args...)}
}

// atMost adds a check of a value.
func (r *row) atMost(what string, value, limit float64) {
	r.Checks = append(r.Checks, check{what, value, limit, value <= limit})
}

// ratio adds a check of the agent's figure against another's. Without both there is nothing to check.
func (r *row) ratio(other string, limit float64) {
	if mine, theirs := r.Figures[agent], r.Figures[other]; mine != nil && theirs != nil {
		r.atMost("agent / "+other, mine.Value/theirs.Value, limit)
	}
}

func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}

func (r *results) reached() bool {
	for _, row := range r.Rows {
		for _, c := range row.Checks {
			if !c.Reached {
				return false
			}
		}
	}
	return true
}

// print writes the table.
func (r *results) print(out io.Writer) {
	fmt.Fprintf(out, "%s\nrun of %s, %s\n\n", r.Machine, r.Started.Format(time.RFC3339), r.Took)
	table := tabwriter.NewWriter(out, 2, 0, 3, ' ', 0)
	fmt.Fprintln(table, "what\tkubelet\tagent\tbare client\tdecides\t")
	for _, row := range r.Rows {
		for i, c := range append(row.Checks, check{})[:max(1, len(row.Checks))] {
			cells := []string{"", "", "", ""}
			if i == 0 {
				cells = []string{row.What, row.cell(kubelet), row.cell(agent), row.cell(bareClient)}
			}
			fmt.Fprintf(table, "%s\t%s\t\n", strings.Join(cells, "\t"), c)
		}
	}
	table.Flush()
	fmt.Fprintln(out)
	for _, row := range r.Rows {
		for _, who := range []string{kubelet, agent, bareClient} {
			if f := row.Figures[who]; f != nil && f.Note != "" {
				fmt.Fprintf(out, "%s, %s: %s\n", row.Name, who, f.Note)
			}
		}
	}
}

func (r *row) cell(who string) string {
	f := r.Figures[who]
	if f == nil {
		return ""
	}
	above := ""
	if f.Above {
		above = "over "
	}
	return fmt.Sprintf("%s%.4g %s", above, f.Value, r.Unit)
}

func (c check) String() string {
	if c.What == "" {
		return ""
	}
	verdict := map[bool]string{true: "reached", false: "MISSED"}[c.Reached]
	return fmt.Sprintf("%s: %.4g, at most %.4g: %s", c.What, c.Value, c.Limit, verdict)
}

func (r *results) write(path string) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
