// What papers say, held against rows: so it is, more, less, the other way round, or not to be told.
#include "report/claims.hpp"

#include "jobs/support.hpp"
#include "report/report.hpp"
#include "study/claims.hpp"

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

Json row(const std::string& id, int size, const std::string& way, std::size_t device, double seconds, double dimension = 2) {
    Json rounds = Json::array();
    for (int r = 0; r < 5; ++r) rounds.push_back({seconds * (1 + 1e-4 * r), seconds, seconds * (1 - 1e-4 * r)});
    return {{"id", id + way + std::to_string(device) + "/" + std::to_string(size)},
            {"case", id},
            {"grid", {{"size", size}}},
            {"variables", {{"theory", 2.5}}},
            {"way", way},
            {"device", device},
            {"session", 0},
            {"outcome", "ok"},
            {"records", {{"counts", {{"dimension", dimension}}}}},
            {"work", {{"unit", "x"}, {"scale", 1}, {"items", 0}, {"bytes", 0}}},
            {"samples", {{"device", rounds}, {"wall", rounds}, {"end_to_end", {{"wall", rounds}}}}}};
}

Json report_of(const Json& claims) {
    const auto device = [](const char* label, const char* backend, const char* type) {
        return Json{{"label", label},
                    {"info", {{"name", label}, {"backend", backend}, {"type", type}, {"platform", "p"}, {"driver", "1"}}}};
    };
    return {{"parallax_comparison", 1},
            {"study",
             {{"title", "t"},
              {"source", "Somebody 2012"},
              {"cases", Json::array({{{"id", "a"}}, {{"id", "b"}}})},
              {"claims", claims}}},
            {"devices", {device("Card", "opencl", "gpu"), device("Host", "native", "cpu")}},
            {"sessions", Json::array({{{"rates", Json::object()}}})},
            {"rows",
             {row("a", 1, "fused", 0, 1e-3), row("a", 1, "reference", 1, 2e-3), row("a", 2, "fused", 0, 1e-3, 2.4),
              row("a", 2, "slow", 0, 9e-3), row("a", 2, "reference", 1, 50e-3), row("b", 2, "fused", 0, 4e-3)}}};
}

/// What is said of one claim.
std::string said(const Json& claim) {
    const Json report = report_of(Json::array({claim}));
    CHECK_NOTHROW(check_report(report, "claims"));
    const Json summary = derive(report)["summary"];   // the words stand first
    const std::vector<std::string> lines = claims_in_words(report);
    REQUIRE(lines.size() == 1);
    CHECK(summary[0] == lines[0]);
    return lines[0];
}

Json faster(const Json& of, const Json& to, const Json& times = nullptr) {
    Json claim{{"says", "x is fast"}, {"of", of}, {"to", to}};
    if (!times.is_null()) claim["times"] = times;
    return claim;
}

}   // namespace

TEST_CASE("claims: how many times as fast, at the last point where both were timed, by the fastest row of each") {
    const Json card{{"type", "gpu"}}, host{{"variant", "reference"}};
    const std::string plain = said(faster(card, host));
    CHECK(contains(plain,
                   "Somebody 2012: x is fast. Here, a at size 2: 50 times as fast [50 to 50], fused on Card against reference on "
                   "Host: so it is here."));
    CHECK(contains(said(faster(card, host, {40, 90})), ": so it is here."));
    CHECK(contains(said(faster(card, host, 28)), ": more than that."));
    CHECK(contains(said(faster(card, host, {60, 90})), ": less than that."));
    CHECK(contains(said(faster(host, card, 28)), "0.02 times as fast"));
    CHECK(contains(said(faster(host, card, 28)), ": the other way round."));
    CHECK(contains(said(faster({{"case", "a"}, {"variant", "fused"}}, {{"case", "b"}})), "4 times as fast"));
    CHECK(contains(
        said(faster({{"case", "a"}, {"grid", {{"size", 1}}}}, {{"case", "a"}, {"grid", {{"size", 1}}}, {"variant", "fused"}})),
        "cannot be told here"));
    CHECK(contains(said(faster({{"case", "a"}, {"device", "Card"}}, {{"case", "a"}, {"variant", {"fused", "slow"}}})),
                   "cannot be told here"));
    CHECK(contains(said(faster({{"backend", "cuda"}}, host)), "cannot be told here: a row by cuda and reference were not timed"));
    CHECK(contains(said(faster({{"variant", "fused"}, {"case", "a"}}, {{"variant", "fused"}, {"case", "a"}})),
                   "cannot be told here"));
}

TEST_CASE("claims: both sides are of one device unless the claim says which, and a wide interval says nothing") {
    Json report = report_of(Json::array({faster({{"variant", "fused"}}, {{"variant", "slow"}})}));
    report["rows"].push_back(row("a", 2, "slow", 1, 0.5e-3));   // of the other device, and faster
    CHECK(contains(claims_in_words(report)[0], "9 times as fast [9 to 9], fused on Card against slow on Card: so it is here."));

    Json wide = report_of(Json::array({faster({{"type", "gpu"}}, {{"variant", "reference"}}, 3)}));
    for (Json& one : wide["rows"])
        if (one["way"] == "reference") one["samples"]["device"] = Json::array({{0.5e-3, 0.6e-3}, {4e-3, 5e-3}});
    const std::string said = claims_in_words(wide)[0];
    CAPTURE(said);
    CHECK(contains(said, ": here neither is surely faster."));
}

TEST_CASE("claims: a single run has no interval, and tells no small difference") {
    const auto of_one_run = [](double seconds) {
        Json report = report_of(Json::array({faster({{"variant", "fused"}}, {{"variant", "slow"}})}));
        for (Json& row : report["rows"])
            if (row["way"] == "slow") row["samples"]["device"] = Json::array({Json::array({seconds})});
        return claims_in_words(report)[0];
    };
    CHECK(contains(of_one_run(1.4e-3), "1.4 times as fast (of one run)"));
    CHECK(contains(of_one_run(1.4e-3), ": here neither is surely faster."));
    CHECK(contains(of_one_run(9e-3), ": so it is here."));
    CHECK(contains(of_one_run(0.5e-3), ": the other way round."));
}

TEST_CASE("claims: values near what theory has, and alike over variants and devices") {
    CHECK(contains(said({{"says", "d"}, {"value", "record.counts.dimension"}, {"near", "theory"}, {"within", 0.5}}),
                   "0.5 away at most"));
    CHECK(contains(said({{"says", "d"}, {"value", "record.counts.dimension"}, {"near", "theory"}, {"within", 0.5}}),
                   ": so it is here."));
    CHECK(contains(said({{"says", "d"}, {"value", "record.counts.dimension"}, {"near", 2}, {"within", 0.1}}),
                   "a at size 2: 0.4 away at most, fused on Card: not so here."));
    CHECK(contains(said({{"says", "d"}, {"value", "record.counts.dimension"}, {"within", 0.1}}), "0.4 apart at most"));
    // Of rows that there was no time for nothing is said.
    Json hurried = report_of(Json::array({{{"says", "d"}, {"value", "record.counts.dimension"}, {"within", 0.1}}}));
    hurried["rows"][0]["outcome"] = "left out";
    CHECK(contains(claims_in_words(hurried)[0], "0.4 apart at most in the 5 of 6 rows that there was time for, "));
    CHECK(contains(said({{"says", "d"}, {"value", "record.counts.dimension"}, {"of", {{"variant", "slow"}}}, {"within", 0.1}}),
                   ": so it is here."));
    CHECK(contains(said({{"says", "d"}, {"value", "evaluation.quality.psnr_db"}, {"within", 0.1}}),
                   "no row has evaluation.quality.psnr_db"));
}

TEST_CASE("claims: what is none is refused with its place, in studies and in reports") {
    const auto refused = [](const Json& claim, const std::string& pointer) {
        CAPTURE(claim.dump());
        CHECK(error_of<ConfigError>([&] { check_claims(Json::array({claim}), "/claims"); }).pointer == pointer);
        CHECK(error_of<ConfigError>([&] { check_report(report_of(Json::array({claim})), "x"); }).pointer == "/study" + pointer);
    };
    const Json any = Json::object();
    refused({{"says", "x"}, {"to", any}}, "/claims/0");
    refused({{"says", "x"}, {"of", any}, {"to", any}, {"times", {3, 2}}}, "/claims/0/times");
    refused({{"says", "x"}, {"of", any}, {"to", any}, {"times", "many"}}, "/claims/0/times");
    refused({{"says", "x"}, {"of", {{"variants", "a"}}}, {"to", any}}, "/claims/0/of/variants");
    refused({{"says", "x"}, {"of", any}, {"to", any}, {"by", "clock"}}, "/claims/0/by");
    refused({{"says", "x"}, {"value", "record.a"}}, "/claims/0");
    refused({{"says", "x"}, {"value", "record.a"}, {"within", -1}}, "/claims/0/within");
    refused({{"says", "x"}, {"value", "record.a"}, {"within", 1}, {"near", true}}, "/claims/0/near");
    refused({{"says", "x"}, {"of", any}, {"to", any}, {"time", 2}}, "/claims/0/time");
}
