import DevelopmentIssuer
import StrictJSON
import Testing

struct SampleShopTests {
    @Test(arguments: ["/orders", "/orders/1001", "/orgs/acme/orders", "/catalog", "/status", "/me"])
    func `the public paths of the sample shop answer 200 with JSON`(path: String) async throws {
        let shop = try await SampleShop.start()
        let answer = try await Answer.get(shop.url + path)
        #expect(answer.status == 200)
        #expect(answer.field("content-type") == "application/json")
        #expect(try answer.json.kind == .object)
        await shop.stop()
    }

    @Test func `an order can be placed, viewed and cancelled`() async throws {
        let shop = try await SampleShop.start()
        let placed = try await Answer.request("POST", shop.url + "/orders", body: #"{"item":"mug","quantity":3}"#)
        #expect(placed.status == 201)
        #expect(placed.field("location") == "/orders/1004")
        #expect(try placed.json["total_cents"]?.integer == 4350)
        #expect(try await Answer.get(shop.url + "/orders").json["orders"]?.count == 4)
        #expect(try await Answer.get(shop.url + "/orders/1004").json["item"]?.string == "mug")
        #expect(try await Answer.request("DELETE", shop.url + "/orders/1004").status == 204)
        #expect(try await Answer.request("DELETE", shop.url + "/orders/1004").status == 404)
        #expect(try await Answer.get(shop.url + "/orders/1004").status == 404)
        await shop.stop()
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"item":"car"}"#, #"{"item":"mug","quantity":0}"#, #"{"item":"mug","quantity":101}"#,
    ])
    func `an invalid order is refused`(body: String) async throws {
        let shop = try await SampleShop.start()
        let answer = try await Answer.request("POST", shop.url + "/orders", body: body)
        #expect(answer.status == 400)
        #expect(try answer.json["error"]?.string == #"an order is like {"item":"mug","quantity":2}; see /catalog"#)
        #expect(try await Answer.get(shop.url + "/orders").json["orders"]?.count == 3)
        await shop.stop()
    }

    @Test func `an order longer than 4 KiB is refused`() async throws {
        let shop = try await SampleShop.start()
        let order = #"{"item":"mug"}"#
        let fitting = order + String(repeating: " ", count: 4 * 1024 - order.utf8.count)
        #expect(try await Answer.request("POST", shop.url + "/orders", body: fitting).status == 201)
        #expect(try await Answer.request("POST", shop.url + "/orders", body: fitting + " ").status == 413)
        await shop.stop()
    }

    @Test func `the /me path shows the received identity headers and no others`() async throws {
        let shop = try await SampleShop.start()
        let fields = ["X-Auth-Subject": "ada", "x-auth-scope": "a b", "X-Other": "no", "Authorization": "Bearer x"]
        let answer = try await Answer.get(shop.url + "/me", headers: fields).json
        #expect(answer["identity"]?.members.map(\.name) == ["x-auth-scope", "X-Auth-Subject"])
        #expect(answer["identity"]?["X-Auth-Subject"]?.string == "ada")
        #expect(answer["identity"]?["x-auth-scope"]?.string == "a b")
        #expect(answer["authorization_received"]?.boolean == true)
        #expect(try await Answer.get(shop.url + "/me").json["authorization_received"]?.boolean == false)
        await shop.stop()
    }

    @Test func `the X-Request-Id of a request is in the response`() async throws {
        let shop = try await SampleShop.start()
        let answer = try await Answer.get(shop.url + "/status", headers: ["X-Request-Id": "r-17"])
        #expect(answer.field("x-request-id") == "r-17")
        #expect(try await Answer.get(shop.url + "/status").field("x-request-id") == nil)
        await shop.stop()
    }

    @Test func `HEAD is answered like GET but without a body`() async throws {
        let shop = try await SampleShop.start()
        let answer = try await Answer.request("HEAD", shop.url + "/status")
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        await shop.stop()
    }
}
