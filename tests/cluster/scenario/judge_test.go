package scenario

import (
	"fmt"
	"slices"
	"time"
)

// history is what each witness says of the same time: drivers of what they sent, the API server's audit log of what
// the agent asked it to say, its watch of what pods said, and the agent's store.
type history struct {
	reported []word
	sent     []publication // attempted ones too
	shown    []publication
	stored   []transition
}

// judge returns what contradicts the drivers: words that were never reported, or not yet, a pod that went back to an
// older word, a change that was published before it was stored, or was lost, or never happened. No lease has ended
// in this history, so Unknown is never true.
func (h history) judge() []string {
	return slices.Concat(h.judgeSent(), h.judgeShown(), h.judgeStored(), h.judgeKept())
}

type wordKey struct {
	device, health string
	number         int
}

func (w word) key() wordKey { return wordKey{w.device, w.health, w.number} }

// firstReports tells when each word was first reported.
func (h history) firstReports() map[wordKey]time.Time {
	first := map[wordKey]time.Time{}
	for _, w := range h.reported {
		if at, known := first[w.key()]; !known || w.at.Before(at) {
			first[w.key()] = w.at
		}
	}
	return first
}

func (h history) judgeSent() (wrong []string) {
	first := h.firstReports()
	for _, p := range h.sent {
		if p.condition == "Unknown" {
			wrong = append(wrong, fmt.Sprintf("published at %v: pod %s is Unknown", p.at, p.pod))
		}
		for _, w := range p.words {
			if at, known := first[w.key()]; !known || w.at.Before(at) {
				wrong = append(wrong, "published but not reported before: "+w.String())
			}
		}
	}
	return wrong
}

func (h history) judgeShown() (wrong []string) {
	newest := map[string]int{}
	for _, p := range h.shown {
		condition := "True"
		for _, w := range p.words {
			if w.health == "Unhealthy" {
				condition = "False"
			}
			if key := p.pod + " " + w.device; w.number < newest[key] {
				wrong = append(wrong, fmt.Sprintf("pod %s went back from #%d: %v", p.pod, newest[key], w))
			} else {
				newest[key] = w.number
			}
		}
		if p.condition != condition || len(p.words) == 0 {
			wrong = append(wrong, fmt.Sprintf("condition %q of pod %s beside %v", p.condition, p.pod, p.words))
		}
	}
	return wrong
}

// judgeStored: each device's transitions are a chain, and a part of what was reported of it, in that order.
func (h history) judgeStored() (wrong []string) {
	first, last := h.firstReports(), map[string]transition{}
	for _, t := range h.stored {
		before, known := last[t.device()]
		if !known {
			before.To = "Unknown"
		}
		w := word{t.device(), t.To, numberIn(t.Message), t.At}
		at, was := first[w.key()]
		switch {
		case t.From != before.To || t.From == t.To:
			wrong = append(wrong, fmt.Sprintf("broken chain: %v after %v", t, before))
		case !was || t.At.Before(at.Truncate(time.Millisecond)):
			wrong = append(wrong, "stored but not reported before: "+t.String())
		case w.number <= numberIn(before.Message):
			wrong = append(wrong, fmt.Sprintf("out of order: %v after %v", t, before))
		}
		last[t.device()] = t
	}
	return wrong
}

// judgeKept: when a word was published, the store had the transition to it. That is the last one up to its number: a
// word that repeats the health with a new message has none of its own.
func (h history) judgeKept() (wrong []string) {
	chains := map[string][]transition{}
	for _, t := range h.stored {
		chains[t.device()] = append(chains[t.device()], t)
	}
	for _, p := range h.sent {
		for _, w := range p.words {
			var to transition
			for _, t := range chains[w.device] {
				if numberIn(t.Message) <= w.number {
					to = t
				}
			}
			if to.To != w.health || to.At.After(w.at) {
				wrong = append(wrong, fmt.Sprintf("published %v, but the store has %v", w, to))
			}
		}
	}
	return wrong
}
