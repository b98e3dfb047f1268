package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// control speaks to the HTTP server that a test program has on a Unix socket.
type control struct {
	client *http.Client
}

func newControl(socket string) control {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	return control{&http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DialContext: dial}}}
}

// request sends body, if there is one, as JSON, and reads the answer into out.
func (c control) request(method, path string, body, out any) error {
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, "http://control"+path, &payload)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return json.Unmarshal(text, out)
}
