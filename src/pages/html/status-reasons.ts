// Why a request gets an error of a status, in words.

import type { PageKey } from '../messages/page-messages.ts'

export const statusReasons: Readonly<Record<string, PageKey>> = {
  400: 'page.status_400',
  401: 'page.status_401',
  403: 'page.status_403',
  404: 'page.status_404',
  406: 'page.status_406',
  409: 'page.status_409',
  412: 'page.status_412',
  413: 'page.status_413',
  415: 'page.status_415',
  428: 'page.status_428',
  429: 'page.status_429',
  500: 'page.status_500',
  503: 'page.status_503',
  507: 'page.status_507',
}
