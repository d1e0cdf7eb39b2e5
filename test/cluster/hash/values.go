package main

import (
	"encoding/json"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

func text(req request) (string, error) {
	var value string
	err := json.Unmarshal(req.Object, &value)
	return value, err
}

func printQuantity(req request) (string, error) {
	value, err := text(req)
	if err != nil {
		return "", err
	}
	quantity, err := resource.ParseQuantity(value)
	if err != nil {
		return "", err
	}
	return quantity.String(), nil
}

// The object is a list of quantities: the first, plus every second, minus every third.
func printSum(req request) (string, error) {
	var values []string
	if err := json.Unmarshal(req.Object, &values); err != nil {
		return "", err
	}
	total := resource.MustParse(values[0])
	for index, value := range values[1:] {
		quantity, err := resource.ParseQuantity(value)
		if err != nil {
			return "", err
		}
		if index%2 == 0 {
			total.Add(quantity)
		} else {
			total.Sub(quantity)
		}
	}
	return total.String(), nil
}

func printDuration(req request) (string, error) {
	value, err := text(req)
	if err != nil {
		return "", err
	}
	duration, err := time.ParseDuration(value)
	return duration.String(), err
}

// The next hit of a schedule, read in UTC as a disruption budget does.
func printCronNext(req request) (string, error) {
	value, err := text(req)
	if err != nil {
		return "", err
	}
	schedule, err := cron.ParseStandard("TZ=UTC " + value)
	if err != nil {
		return "", err
	}
	after, err := time.Parse(time.RFC3339Nano, req.After)
	if err != nil {
		return "", err
	}
	next := schedule.Next(after)
	if next.IsZero() {
		return "never", nil
	}
	return next.UTC().Format(time.RFC3339), nil
}
