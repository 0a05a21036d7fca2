/**
 * Runs `npm ci` if node_modules does not match package-lock.json; otherwise it does nothing.
 * npm runs it before each script (`prestart`, `pretest`, …), so a fresh checkout needs no other step.
 *
 * It runs on the machine's Node, before the project's own is installed: CommonJS, ES2018, no
 * dependencies.
 */
'use strict'

// The oldest supported versions do not know the prefix `node:`.
/* biome-ignore-start lint/style/useNodejsImportProtocol: see above */
const { spawnSync } = require('child_process')
const { createHash } = require('crypto')
const fs = require('fs')
const os = require('os')
const path = require('path')
/* biome-ignore-end lint/style/useNodejsImportProtocol: see above */

module.exports = { findDifference, takeLock }

/** Describes the first difference between node_modules and package-lock.json; undefined if there is none. */
function findDifference(root) {
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  if (!wanted) return 'package-lock.json cannot be read'
  const installed = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return 'nothing is installed'
  const outdated = Object.keys(wanted).find(name => name !== '' && !isMet(wanted[name], installed[name]))
  if (outdated) return `${outdated} is not at ${wanted[outdated].version}`
  if (wanted['node_modules/node'] && !hasNode(root)) return 'the Node binary is missing'
  return undefined
}

/**
 * Tries to take a lock file, and returns whether it succeeded. A lock is ignored if its process is gone, or if it is older
 * than any installation takes: its process id may belong to another process by now.
 */
function takeLock(file) {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  if (isStale(file)) remove(file)
  return false
}

function main() {
  const root = path.join(__dirname, '..')
  if (!findDifference(root)) return 0
  const lock = lockFileOf(root)
  while (!takeLock(lock)) sleep(200)
  try {
    // Another process may have installed everything while this one waited.
    return findDifference(root) ? install(root) : 0
  } finally {
    remove(lock)
  }
}

/** There is one lock per checkout and user, because a user cannot remove another user's stale lock. */
function lockFileOf(root) {
  const owner = `${root} ${process.getuid ? process.getuid() : ''}`
  const name = createHash('sha256').update(owner).digest('hex').slice(0, 16)
  return path.join(os.tmpdir(), `npm-ci-${name}.lock`)
}

function install(root) {
  console.error('Installing dependencies (npm ci)…')
  const { error, status, signal, stdout, stderr } = runNpm(root)
  // On success, npm's messages are warnings of other packages, dozens of lines on an old Node.
  if (status !== 0) console.error(`${stdout || ''}${stderr || ''}`)
  if (error) return fail(`npm could not be run: ${error.message}`)
  if (status !== 0) return fail(`npm ci failed (${signal || `exit code ${status}`}); its messages are above.`, status)
  const difference = findDifference(root)
  return difference ? fail(`npm ci ran, but ${difference}. Does npm run install scripts here?`) : 0
}

/** Development dependencies are needed even in production, because the project's Node is one of them. */
function runNpm(root) {
  const args = ['ci', '--include=dev']
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }
  const npm = process.env.npm_execpath
  if (npm && /^npm-cli\.c?js$/.test(path.basename(npm))) return spawnSync(nodeOfNpm(), [npm, ...args], options)
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
}

/** Prefers the Node that npm runs on to this one, which may be in the node_modules that npm replaces. */
function nodeOfNpm() {
  const own = process.env.npm_node_execpath
  return own && fs.existsSync(own) ? own : process.execPath
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages
  } catch (_) {
    return undefined
  }
}

/** Optional packages are mostly for other platforms: they may be missing, but not outdated. */
function isMet(wanted, installed) {
  if (!installed) return Boolean(wanted.optional || wanted.devOptional || wanted.peerOptional)
  return installed.version === wanted.version
}

/** The package `node` downloads its binary in an install script, so the package can exist without the binary. */
function hasNode(root) {
  const files = ['.bin/node', 'node/bin/node'].map(file => path.join(root, 'node_modules', file))
  return files.every(isExecutable)
}

function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return true
  } catch (_) {
    return false
  }
}

function isStale(file) {
  try {
    const age = Date.now() - fs.statSync(file).mtimeMs
    const pid = Number(fs.readFileSync(file, 'utf8'))
    // A lock is empty between its creation and the write of its process id.
    return age > 15 * 60 * 1000 || (pid ? !isRunning(pid) : age > 10 * 1000)
  } catch (_) {
    return false // released meanwhile
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function remove(file) {
  try {
    fs.unlinkSync(file)
  } catch (_) {
    // Another process has removed the lock.
  }
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function fail(message, status) {
  console.error(`resource-api: ${message}`)
  return status || 1
}

if (require.main === module) process.exitCode = main()
