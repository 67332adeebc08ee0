// Runs a WebAssembly program of `cargo xtask ci wasm` in Node: its arguments, its environment, the files of this machine.
import { readFile } from "node:fs/promises";
import { argv, env } from "node:process";
import { WASI } from "node:wasi";

const [program, ...rest] = argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env, preopens: { "/": "/" }, returnOnExit: true });
const imports = wasi.getImportObject();
// proptest reads no seed from the environment here, so what it takes for chance is the same in every run.
let seed = 1;
imports.wasi_snapshot_preview1.random_get = (at, length) => {
  const bytes = new Uint8Array(instance.exports.memory.buffer, at, length);
  for (let i = 0; i < length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    bytes[i] = seed >>> 24;
  }
  return 0;
};
const { instance } = await WebAssembly.instantiate(await readFile(program), imports);
process.exitCode = wasi.start(instance);
