// node:cluster loses the connection that it hands to a worker at the moment at which the worker dies: it keeps the
// connection open until the worker has acknowledged it, and no acknowledgement comes. It does not even notice that the
// channel to the worker has ended, because that waits for the acknowledgement too. So this file watches the messages
// between both, and takes such a connection back (decision 043).

import type { Worker } from 'node:cluster'

/** A message of node:cluster that hands a connection over. */
interface HandoffMessage {
  readonly act: 'newconn'
  readonly seq: number
}

interface ConnectionHandle {
  close(): void
}

/**
 * Gives a connection that a worker has not acknowledged when it dies to another worker, or closes it if there is none.
 * `hasOthers` says whether another worker listens. To be called right after the worker was forked.
 */
export function keepConnections(worker: Worker, hasOthers: () => boolean): void {
  const { process: child } = worker
  const unacknowledged = new Map<number, ConnectionHandle>()
  const send = child.send.bind(child) as (...sent: unknown[]) => boolean
  child.send = (...sent: unknown[]) => {
    const [message, handle] = sent
    if (isHandoff(message)) unacknowledged.set(message.seq, handle as ConnectionHandle)
    return send(...sent)
  }
  child.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) unacknowledged.delete(ack)
  })
  let isDisconnected = false
  child.once('disconnect', () => {
    isDisconnected = true
  })
  // The process has ended, and all that it had sent has been read.
  child.once('close', () => {
    // node:cluster forgets the worker; otherwise it would go on to count it among those that listen.
    if (!isDisconnected) child.emit('disconnect')
    for (const [seq, handle] of [...unacknowledged]) {
      // To node:cluster, this is a worker that refuses the connection: it hands it to the next one.
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false })
      else handle.close()
    }
  })
}

const isHandoff = (message: unknown): message is HandoffMessage =>
  typeof message === 'object' && message !== null && (message as Partial<HandoffMessage>).act === 'newconn'
