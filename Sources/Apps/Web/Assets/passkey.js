import { fire } from "./events.js";
import { $ } from "./page.js";

// Asks the device to make or use a passkey when the page contains a request, and sends the answer.
// The server checks everything.

const decode = (text) => Uint8Array.from(
  atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// COSE algorithms that the server verifies: ES256, EdDSA, RS256.
const algorithms = [-7, -8, -257];

async function make({ challenge, site, account }) {
  const { response } = await navigator.credentials.create({
    publicKey: {
      challenge: decode(challenge),
      rp: { id: site, name: "LifeSignal" },
      user: { id: decode(account.handle), name: account.name, displayName: account.name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: account.otherPasskeys
        .map((id) => ({ type: "public-key", id: decode(id) })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    },
  });
  return {
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
  };
}

async function use({ challenge, site }) {
  const { rawId, response } = await navigator.credentials.get({
    publicKey: { challenge: decode(challenge), rpId: site, userVerification: "required" },
  });
  return {
    credentialID: encode(rawId), userHandle: encode(response.userHandle ?? []),
    clientDataJSON: encode(response.clientDataJSON),
    authenticatorData: encode(response.authenticatorData), signature: encode(response.signature),
  };
}

export async function ask() {
  const element = $("[data-passkey]");
  if (!element || element.isAsked) return;
  element.isAsked = true;
  const request = JSON.parse(element.dataset.passkey);
  let answer;
  try {
    if (!window.PublicKeyCredential) throw new DOMException("", "NotSupportedError");
    answer = await (request.account ? make(request) : use(request));
  } catch ({ name }) {
    answer = { failure: name };
  }
  fire(element, "input", JSON.stringify(answer));
}
