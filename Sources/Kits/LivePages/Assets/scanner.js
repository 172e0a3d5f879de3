import { fire, isSendingFile } from "./events.js";

// Controls the camera while a scanner is on the page. Loaded when the first scanner appears.

let camera;

// A dialog that was closed offline stays on the page until the server knows.
const isClosed = (video) => video.closest("dialog:not([open])");

// Starts the camera for a scanner's `video`. Stops the camera if `video` is null or not shown.
export async function scan(video) {
  if (video && isClosed(video)) video = null;
  if (camera && camera.video !== video) {
    stop(camera);
    camera = undefined;
  }
  if (!video) return;
  if (!camera) {
    const mine = (camera = { video });
    const wish = { video: { facingMode: "environment" } };
    mine.stream = await navigator.mediaDevices?.getUserMedia(wish).catch(() => null);
    if (camera !== mine) return stop(mine);
    fire(video, "toggle", Boolean(mine.stream));
    if (!mine.stream) return;
    video.srcObject = mine.stream;
    // Starting the video fails if the user leaves the scanner meanwhile. Ignores this error.
    await video.play().catch(() => {});
    lookThrough(mine);
  }
  const torch = "torch" in video.dataset;
  if (!camera?.stream || camera.torch === torch) return;
  camera.torch = torch;
  camera.stream.getVideoTracks()[0].applyConstraints({ advanced: [{ torch }] }).catch(() => {});
}

const stop = ({ stream }) => stream?.getTracks().forEach((track) => track.stop());

async function lookThrough(mine) {
  const detector = window.BarcodeDetector && new BarcodeDetector({ formats: ["qr_code"] });
  const canvas = document.createElement("canvas");
  const { video } = mine;
  while (camera === mine) {
    await new Promise((resolve) => setTimeout(resolve, 350));
    if (isClosed(video)) return scan();
    if (camera !== mine || !video.videoWidth || isSendingFile()) continue;
    const codes = await detector?.detect(video).catch(() => null);
    if (codes) {
      const text = codes[0]?.rawValue;
      if (text && text !== mine.last) fire(video, "scan", (mine.last = text));
      continue;
    }
    const scale = Math.min(1, 800 / Math.max(video.videoWidth, video.videoHeight));
    Object.assign(canvas, { width: video.videoWidth * scale, height: video.videoHeight * scale });
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    const frame = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.8));
    if (frame && camera === mine) fire(video, "frame", undefined, frame);
  }
}
