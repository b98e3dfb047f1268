package main

import (
	"context"
	"log"
	"sync"

	"google.golang.org/grpc"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// plugin is what the helper library calls. Preparing a device takes nothing; its health is the hub's.
type plugin struct {
	name string
	cdi  bool
	hub  *hub
}

// PrepareResourceClaims answers with the devices that the claims were allocated from this driver.
func (p *plugin) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	prepared := make(map[types.UID]kubeletplugin.PrepareResult, len(claims))
	for _, claim := range claims {
		var result kubeletplugin.PrepareResult
		for _, allocated := range claim.Status.Allocation.Devices.Results {
			if allocated.Driver == p.name {
				result.Devices = append(result.Devices, p.prepare(allocated))
			}
		}
		prepared[claim.UID] = result
	}
	return prepared, nil
}

func (p *plugin) prepare(allocated resourceapi.DeviceRequestAllocationResult) kubeletplugin.Device {
	device := kubeletplugin.Device{
		Requests:   []string{allocated.Request},
		PoolName:   allocated.Pool,
		DeviceName: allocated.Device,
		ShareID:    allocated.ShareID,
	}
	if p.cdi {
		device.CDIDeviceIDs = []string{p.name + "/gpu=" + allocated.Device}
	}
	return device
}

// UnprepareResourceClaims has nothing to undo.
func (p *plugin) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	done := make(map[types.UID]error, len(claims))
	for _, claim := range claims {
		done[claim.UID] = nil
	}
	return done, nil
}

// HandleError logs what the helper reports, such as health that was not sent again in time.
func (p *plugin) HandleError(_ context.Context, err error, message string) {
	log.Printf("%s: %v", message, err)
}

// WatchHealthStatus serves one health stream.
func (p *plugin) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	method, _ := grpc.Method(ctx)
	return p.hub.serve(ctx, method, reports)
}

// calls counts the unary calls by method: how often somebody asked GetInfo, for example.
type calls struct {
	mu     sync.Mutex
	counts map[string]int
}

func newCalls() *calls { return &calls{counts: map[string]int{}} }

func (c *calls) count(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	c.mu.Lock()
	c.counts[info.FullMethod]++
	c.mu.Unlock()
	return handler(ctx, request)
}

func (c *calls) snapshot() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := make(map[string]int, len(c.counts))
	for method, n := range c.counts {
		counts[method] = n
	}
	return counts
}
