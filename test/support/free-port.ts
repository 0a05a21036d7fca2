export { freePort } from '../../src/testing/free-port.ts'
