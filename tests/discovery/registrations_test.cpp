#include "discovery/registrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/log_capture.h"

namespace dra_health {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RegistrationsTest : public ::testing::Test {
 protected:
  BootTime Now() const { return clock_.Now().boot; }

  std::vector<PluginId> Due() {
    std::vector<PluginId> ids;
    for (const FoundSocket& socket : registrations_.TakeDue(Now())) ids.push_back(socket.id);
    return ids;
  }

  // Finds a socket and answers for it.
  void Answer(PluginId id, const PluginInfo& info) {
    registrations_.Found({.id = id, .path = "/reg/a.sock"}, Now());
    registrations_.TakeDue(Now());
    registrations_.Answered(id, info, Now());
  }

  void Refuse(PluginId id) {
    registrations_.Answered(id, Fail(ErrorKind::kRetry, "UNAVAILABLE: refused"), Now());
  }

  template <typename T>
  std::vector<T> Take() {
    std::vector<T> taken;
    for (QueueItem& item : queue_.TakeAll()) {
      if (auto* event = std::get_if<T>(&std::get<Event>(item))) taken.push_back(*event);
    }
    return taken;
  }

  FakeClock clock_;
  EventQueue queue_;
  Registrations registrations_{queue_};
  LogCapture log_;
};

TEST_F(RegistrationsTest, NewSocketIsAskedAtOnceAndOnlyOnceAtATime) {
  registrations_.Found({.id = 7, .path = "/reg/a.sock"}, Now());
  EXPECT_THAT(Due(), ElementsAre(7));
  EXPECT_THAT(Due(), IsEmpty());
  EXPECT_EQ(registrations_.NextDeadline(), BootTime::max());
}

TEST_F(RegistrationsTest, DraDriverIsRegisteredWithWhatItSaid) {
  Answer(7, {.type = "DRAPlugin",
             .name = "gpu.example.com",
             .endpoint = "/plugins/gpu/dra.sock",
             .services = {"v1.DRAPlugin", "v1.DRAResourceHealth"}});
  const auto registered = Take<event::PluginRegistered>();
  ASSERT_EQ(registered.size(), 1u);
  EXPECT_EQ(registered[0].id, 7u);
  EXPECT_EQ(registered[0].driver, "gpu.example.com");
  EXPECT_EQ(registered[0].registration_socket, "/reg/a.sock");
  EXPECT_EQ(registered[0].endpoint, "/plugins/gpu/dra.sock");
  EXPECT_THAT(registered[0].services, ElementsAre("v1.DRAPlugin", "v1.DRAResourceHealth"));
}

TEST_F(RegistrationsTest, EmptyEndpointMeansTheRegistrationSocket) {
  Answer(7, {.type = "DRAPlugin", .name = "gpu"});
  EXPECT_EQ(Take<event::PluginRegistered>().at(0).endpoint, "/reg/a.sock");
}

TEST_F(RegistrationsTest, AnsweredSocketIsNeverAskedAgain) {
  Answer(1, {.type = "DRAPlugin", .name = "gpu"});
  Answer(2, {.type = "CSIPlugin", .name = "disk"});
  clock_.Advance(std::chrono::hours{24});
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(RegistrationsTest, OtherPluginTypesAreLeftAloneSilently) {
  Answer(1, {.type = "CSIPlugin", .name = "disk"});
  Answer(2, {.type = "DevicePlugin", .name = "nic"});
  EXPECT_THAT(Take<event::PluginRegistered>(), IsEmpty());
  EXPECT_EQ(log_.text(), "");
  registrations_.Gone(1);
  EXPECT_THAT(Take<event::PluginDeregistered>(), IsEmpty());
}

TEST_F(RegistrationsTest, ServerWithoutRegistrationServiceIsLeftAlone) {
  registrations_.Found({.id = 1, .path = "/reg/a.sock"}, Now());
  EXPECT_THAT(Due(), ElementsAre(1));
  registrations_.Answered(1, Fail(ErrorKind::kItem, "UNIMPLEMENTED"), Now());
  clock_.Advance(std::chrono::hours{24});
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(RegistrationsTest, NamelessDriverAndUnusableEndpointAreRefusedWithAWarning) {
  Answer(1, {.type = "DRAPlugin", .name = "", .endpoint = "/x"});
  Answer(2, {.type = "DRAPlugin", .name = "gpu", .endpoint = "relative.sock"});
  Answer(3, {.type = "DRAPlugin", .name = "gpu", .endpoint = "/broken\xff.sock"});
  Answer(4, {.type = "DRAPlugin", .name = "\n", .endpoint = "/x"});
  EXPECT_THAT(Take<event::PluginRegistered>(), IsEmpty());
  EXPECT_EQ(log_.Count("warning: /reg/a.sock left alone"), 4);
}

TEST_F(RegistrationsTest, RefusedSocketIsAskedAgainSoonThenEveryFewSeconds) {
  registrations_.Found({.id = 1, .path = "/reg/a.sock"}, Now());
  auto most = milliseconds{100};
  for (int attempt = 0; attempt < 20; ++attempt) {
    ASSERT_THAT(Due(), ElementsAre(1)) << "attempt " << attempt;
    Refuse(1);
    const auto wait = registrations_.NextDeadline() - Now();
    EXPECT_GE(wait, most / 2);
    EXPECT_LE(wait, most);
    EXPECT_THAT(Due(), IsEmpty());
    clock_.Advance(wait);
    most = std::min<milliseconds>(most * 2, seconds{5});
  }
}

TEST_F(RegistrationsTest, FirstRefusalIsNoNewsAndADeadSocketIsToldOnce) {
  registrations_.Found({.id = 1, .path = "/reg/a.sock"}, Now());
  for (int attempt = 0; attempt < 3; ++attempt) {
    registrations_.TakeDue(Now());
    Refuse(1);
    clock_.Advance(seconds{5});
  }
  EXPECT_EQ(log_.text(), "");
  for (int attempt = 0; attempt < 20; ++attempt) {
    registrations_.TakeDue(Now());
    Refuse(1);
    clock_.Advance(seconds{5});
  }
  EXPECT_EQ(log_.Count("/reg/a.sock does not answer GetInfo"), 1);
  EXPECT_EQ(log_.Count("warning"), 0);
}

TEST_F(RegistrationsTest, DeniedSocketIsExplainedOnceAndAskedAgainSlowly) {
  registrations_.Found({.id = 1, .path = "/reg/a.sock"}, Now());
  for (int attempt = 0; attempt < 20; ++attempt) {
    ASSERT_THAT(Due(), ElementsAre(1));
    registrations_.Answered(1, Fail(ErrorKind::kRetry, "UNAVAILABLE: Permission denied"), Now());
    EXPECT_EQ(registrations_.NextDeadline() - Now(), seconds{60});
    clock_.Advance(seconds{60});
  }
  EXPECT_EQ(log_.Count("error: cannot ask /reg/a.sock"), 1);
}

TEST_F(RegistrationsTest, DeadSocketsDoNotDelayALiveOne) {
  for (PluginId id = 1; id <= 20; ++id) registrations_.Found({.id = id, .path = "/dead"}, Now());
  EXPECT_EQ(Due().size(), 20u);
  registrations_.Found({.id = 21, .path = "/live"}, Now());
  EXPECT_THAT(Due(), ElementsAre(21));
}

TEST_F(RegistrationsTest, GoneDriverIsDeregisteredOnce) {
  Answer(7, {.type = "DRAPlugin", .name = "gpu"});
  Take<event::PluginRegistered>();
  registrations_.Gone(7);
  registrations_.Gone(7);
  const auto gone = Take<event::PluginDeregistered>();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].id, 7u);
}

TEST_F(RegistrationsTest, AnswerOfASocketThatIsGoneByThenIsDropped) {
  registrations_.Found({.id = 7, .path = "/reg/a.sock"}, Now());
  registrations_.TakeDue(Now());
  registrations_.Gone(7);
  registrations_.Answered(7, PluginInfo{.type = "DRAPlugin", .name = "gpu"}, Now());
  EXPECT_THAT(queue_.TakeAll(), IsEmpty());
}

}  // namespace
}  // namespace dra_health
