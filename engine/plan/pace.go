package plan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"forge/engine/event"
)

// Pace is how the time that earlier plans of a folder took compares with their estimates. The zero Pace knows of none.
type Pace struct {
	Factor float64 // the median of took over estimated; 0 for none
	Plans  int     // how many plans it is from
}

// PlansOfPace is how many of the latest plans a Pace is from at most.
const PlansOfPace = 10

// PaceOf returns the pace of earlier plans.
func PaceOf(earlier []event.PlanEffort) Pace {
	var factors []float64
	for _, e := range earlier {
		if e.Estimate > 0 && e.Took > 0 {
			factors = append(factors, float64(e.Took)/float64(e.Estimate))
		}
	}
	if len(factors) == 0 {
		return Pace{}
	}
	slices.Sort(factors)
	middle := len(factors) / 2
	median := factors[middle]
	if len(factors)%2 == 0 {
		median = (factors[middle-1] + median) / 2
	}
	return Pace{median, len(factors)}
}

// Minutes estimates the time of a plan, rounded up.
func (pace Pace) Minutes(p Plan) int {
	if pace.Plans == 0 {
		return p.Minutes()
	}
	return max(1, int(math.Ceil((time.Duration(float64(p.Minutes()) * pace.Factor * float64(time.Minute))).Minutes())))
}

// Words describes the pace after an estimate; empty without earlier plans.
func (pace Pace) Words() string {
	switch pace.Plans {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; an earlier plan here took %.1f times its estimate", pace.Factor)
	}
	return fmt.Sprintf("; %d earlier plans here took %.1f times their estimates", pace.Plans, pace.Factor)
}
