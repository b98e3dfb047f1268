// CDI IDs from a real PodResources server on a socket.

#include <gmock/gmock.h>
#include <grpcpp/server_builder.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "discovery_fixture.h"
#include "podresources/v1.grpc.pb.h"

namespace dra_health {
namespace {

using ::testing::HasSubstr;

// A kubelet's PodResources socket.
class Lister : public v1::PodResourcesLister::Service {
 public:
  explicit Lister(const std::string& socket) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Lister() override {
    Answer();
    server_->Shutdown();
  }

  void Add(const std::string& device, const std::vector<std::string>& cdi_ids) {
    auto* claim = answer_.add_pod_resources()->add_containers()->add_dynamic_resources();
    auto* resource = claim->add_claim_resources();
    resource->set_driver_name("gpu.example.com");
    resource->set_pool_name("node-1");
    resource->set_device_name(device);
    for (const std::string& id : cdi_ids) resource->add_cdi_devices()->set_name(id);
  }
  void Hold() { held_ = true; }
  void Answer() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  bool asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  grpc::Status List(grpc::ServerContext*, const v1::ListPodResourcesRequest*,
                    v1::ListPodResourcesResponse* answer) override {
    std::unique_lock lock(mutex_);
    asked_ = true;
    changed_.wait(lock, [&] { return !held_; });
    *answer = answer_;
    return grpc::Status::OK;
  }

  v1::ListPodResourcesResponse answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  bool asked_ = false;
  std::unique_ptr<grpc::Server> server_;
};

class PodResourcesTest : public DiscoveryFixture {
 protected:
  PodResourcesTest() {
    auto options = Options();
    options.pod_resources = socket_;
    StartLoop(options);
  }
  std::optional<event::CdiIdsRead> Read() {
    loop_->discovery().ReadCdiIds();
    if (!loop_->RunUntilThereAre<event::CdiIdsRead>(1)) return std::nullopt;
    return loop_->All<event::CdiIdsRead>()[0];
  }

  const std::string socket_ = folder_ / "kubelet.sock";
};

TEST_F(PodResourcesTest, FirstCdiIdOfEachDeviceIsRead) {
  Lister lister(socket_);
  lister.Add("gpu-0", {"example.com/gpu=0", "example.com/gpu=all"});
  lister.Add("gpu-1", {});
  lister.Add("gpu-0", {"example.com/gpu=0"});  // the same, in another container
  const auto read = Read();
  ASSERT_TRUE(read && read->ids) << "no answer";
  ASSERT_EQ(read->ids->size(), 1u) << "a device without a CDI ID has none";
  EXPECT_EQ(read->ids->at(0).key, (DeviceKey{"gpu.example.com", "node-1", "gpu-0"}));
  EXPECT_EQ(read->ids->at(0).cdi_id, "example.com/gpu=0");
}

TEST_F(PodResourcesTest, InvalidUtf8IsMadePrintable) {
  Lister lister(socket_);
  lister.Add("gpu-0", {"example.com/gpu=\xFF"});
  const auto read = Read();
  ASSERT_TRUE(read && read->ids) << "no answer";
  EXPECT_EQ(read->ids->at(0).cdi_id, "example.com/gpu=\xEF\xBF\xBD");
}

TEST_F(PodResourcesTest, AKubeletThatIsNotThereIsAnErrorToRetry) {
  const auto read = Read();
  ASSERT_TRUE(read);
  ASSERT_FALSE(read->ids);
  EXPECT_EQ(read->ids.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(read->ids.error().message, HasSubstr("UNAVAILABLE"));
}

TEST_F(PodResourcesTest, ACallThatHangsDoesNotHoldUpTheStop) {
  Lister lister(socket_);
  lister.Hold();
  loop_->discovery().ReadCdiIds();
  ASSERT_TRUE(loop_->RunUntil([&] { return lister.asked(); }));
  EXPECT_EQ(loop_->discovery().open_calls(), 1u);
  loop_->discovery().Stop();
  EXPECT_TRUE(loop_->RunUntil([&] { return loop_->discovery().open_calls() == 0; }));
}

}  // namespace
}  // namespace dra_health
