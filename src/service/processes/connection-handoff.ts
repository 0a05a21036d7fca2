// Recovers connections that node:cluster loses when a worker dies (decision 043). node:cluster keeps a connection open
// until the worker acknowledges it, and the acknowledgement of a dead worker never comes. The `disconnect` event does
// not come either, because it waits for the acknowledgement. This file therefore watches the messages between the
// two processes.

import type { Worker } from 'node:cluster'

/** The message with which node:cluster passes a connection to a worker. */
interface HandoffMessage {
  readonly act: 'newconn'
  readonly seq: number
}

interface ConnectionHandle {
  close(): void
}

/**
 * When the worker dies, passes its unacknowledged connections to another worker, or closes them if no other worker
 * listens (`hasOtherWorker`). Call it immediately after the worker was forked.
 */
export function recoverConnections(worker: Worker, hasOtherWorker: () => boolean): void {
  const { process: child } = worker
  const unacknowledged = new Map<number, ConnectionHandle>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]) => {
    const [message, handle] = args
    if (isHandoff(message)) unacknowledged.set(message.seq, handle as ConnectionHandle)
    return send(...args)
  }
  child.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) unacknowledged.delete(ack)
  })
  let isDisconnected = false
  child.once('disconnect', () => {
    isDisconnected = true
  })
  // `close` comes after the process has exited and all its messages have been read.
  child.once('close', () => {
    // Makes node:cluster remove the worker; otherwise it would still pass connections to it.
    if (!isDisconnected) child.emit('disconnect')
    for (const [seq, handle] of [...unacknowledged]) {
      // Tells node:cluster that the worker rejected the connection, so it passes the connection to the next worker.
      if (hasOtherWorker()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false })
      else handle.close()
    }
  })
}

const isHandoff = (message: unknown): message is HandoffMessage =>
  typeof message === 'object' && message !== null && (message as Partial<HandoffMessage>).act === 'newconn'
