// A real identity provider (npm oidc-provider) on a free port: node oidc_provider.mjs ITS-FOLDER
// It prints its issuer. A client takes tokens by its credentials; a line on stdin rotates the signing key.
import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Provider } = await import(pathToFileURL(`${process.argv[2]}/lib/index.js`));
let number = 0;
const keys = [];
const newKey = () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  keys.unshift({ ...privateKey.export({ format: "jwk" }), kid: `key-${++number}`, use: "sig", alg: "RS256" });
};
let serving;
const server = createServer((request, response) => serving(request, response));
const provide = () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    jwks: { keys },
    clients: [{
      client_id: "mira", client_secret: "secret", grant_types: ["client_credentials"], redirect_uris: [],
      response_types: [], token_endpoint_auth_method: "client_secret_post",
    }],
    ttl: { ClientCredentials: 600 },
    extraTokenClaims: () => ({ tenant: "default", roles: ["writer"] }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: "", audience: resource, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
  serving = provider.callback();
  return issuer;
};
newKey();
server.listen(0, "127.0.0.1", () => console.log(provide()));
createInterface({ input: process.stdin }).on("line", () => {
  newKey();
  provide();
  console.log("rotated");
}).on("close", () => process.exit());
