// The middle of the administration's home: how many objects there are, charts of failed logins and refused requests, the last
// changes, and warnings about the deployment. The JSON of the same figures is at `figures/`.

import { html } from 'ghtml'
import type { Resource, ViewPage, ViewPageContext } from '#core'
import { dateHtml } from '#pages'
import type { DayFigures } from '../audit/audit-figures.ts'
import { accountMessages } from '../messages.ts'
import { barChart } from './bar-chart.ts'
import { changeSentences, createNamedPage, linkTo, type NamedPage } from './change-sentences.ts'
import type { Figures, ReadFigures, ResourceCount } from './figures.ts'

/** Creates the page from the figures that its caller may see. */
export const homePage =
  (readFigures: ReadFigures, resources: readonly Resource[]): ViewPage =>
  async view => {
    const page = createNamedPage(view, resources)
    const { counts, days, changes, warnings } = await readFigures(view.context)
    return html`!${warningsHtml(warnings, page)}!${countCards(counts, page)}!${days === null ? '' : dayCharts(days, page)}!${changesSection(changes, counts, page)}`
  }

const formatNumber = (number: number, { language }: ViewPageContext): string =>
  new Intl.NumberFormat(language).format(number)

function warningsHtml(warnings: Figures['warnings'], { text }: ViewPageContext): string {
  if (warnings === null || warnings.length === 0) return ''
  const more = warnings.length - shownWarnings
  return html`<section class="notice warning" aria-labelledby="warnings">
<h2 id="warnings">${text(accountMessages('home.warnings', { count: warnings.length }))}</h2>
!${listWarnings(warnings.slice(0, shownWarnings))}!${more > 0 ? html`<details><summary>${text(accountMessages('home.more_warnings', { count: more }))}</summary>!${listWarnings(warnings.slice(shownWarnings))}</details>` : ''}
</section>
`
}

const shownWarnings = 2

const listWarnings = (warnings: readonly string[]): string =>
  html`<ul class="counts">!${warnings.map(warning => html`<li>${warning}</li>`)}</ul>`

const countCards = (counts: readonly ResourceCount[], page: NamedPage): string =>
  html`<ul class="cards figures">!${counts.map(count => countCard(count, page))}</ul>
`

const countCard = ({ resource, count, has_more: hasMore }: ResourceCount, page: NamedPage): string =>
  html`<li><a href="${linkTo(page, resource)}">${page.nameOf(resource)}</a><p>${formatNumber(count, page)}!${hasMore ? '+' : ''}</p></li>`

function dayCharts(days: readonly DayFigures[], page: ViewPageContext): string {
  const { text } = page
  const logins = days.map(({ failed_logins: count }) => count)
  const requests = days.map(({ refused_requests: count }) => count)
  const isQuiet = sum(logins) + sum(requests) === 0
  const heading = html`<h2 id="days">${text(accountMessages('home.days', { days: days.length }))} <a href="${linkTo(page, 'figures')}">${text(accountMessages('home.as_json'))}</a></h2>`
  if (isQuiet)
    return html`<section class="days" aria-labelledby="days">
!${heading}
<p class="help">${text(accountMessages('home.quiet'))}</p>
</section>
`
  // The same height means the same number in both charts.
  const scale = { highest: Math.max(...logins, ...requests), first: days[0]!.day, last: days.at(-1)!.day }
  const charts = [
    chartHtml({ title: 'home.failed_logins', empty: 'home.no_failed_logins', numbers: logins, ...scale }, page),
    chartHtml({ title: 'home.refused', empty: 'home.no_refused', numbers: requests, ...scale }, page),
  ]
  return html`<section class="days" aria-labelledby="days">
!${heading}
<div class="charts">
!${charts}</div>
!${daysTable(days, page)}</section>
`
}

interface Chart {
  readonly title: 'home.failed_logins' | 'home.refused'
  /** Replaces a chart without any bar. */
  readonly empty: 'home.no_failed_logins' | 'home.no_refused'
  readonly numbers: readonly number[]
  /** The number of a bar of full height. */
  readonly highest: number
  /** The days of the first and the last bar. */
  readonly first: string
  readonly last: string
}

function chartHtml({ title, empty, numbers, highest, first, last }: Chart, page: ViewPageContext): string {
  const { text } = page
  const total = sum(numbers)
  if (total === 0)
    return html`<p class="help">${text(accountMessages(empty))}</p>
`
  return html`<figure>
<figcaption>${text(accountMessages(title))} <b>${formatNumber(total, page)}</b></figcaption>
!${barChart(text(accountMessages(title)), numbers, highest)}<p class="axis">!${dateHtml(first, page.language)} <span>0&ndash;${formatNumber(highest, page)}</span> !${dateHtml(last, page.language)}</p></figure>
`
}

function daysTable(days: readonly DayFigures[], { text }: ViewPageContext): string {
  const heading = text(accountMessages('home.as_table'))
  const columns = (['home.day', 'home.failed_logins', 'home.refused'] as const).map(key => text(accountMessages(key)))
  return html`<details><summary>${heading}</summary>
<div class="table" role="region" aria-label="${heading}" tabindex="0"><table>
<thead><tr>!${columns.map(column => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>!${days.map(day => html`<tr><th scope="row">${day.day}</th><td>${day.failed_logins}</td><td>${day.refused_requests}</td></tr>`)}</tbody>
</table></div>
</details>
`
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

function changesSection(changes: Figures['changes'], counts: readonly ResourceCount[], page: NamedPage): string {
  if (changes === null) return ''
  const { text } = page
  const listed = new Set(counts.map(({ resource }) => resource))
  const items = changeSentences(changes, listed, page).slice(0, shownSentences)
  return html`<section class="history" aria-labelledby="changes">
<h2 id="changes">${text(accountMessages('home.changes'))} <a href="${linkTo(page, 'activity')}">${text(accountMessages('home.all_changes'))}</a></h2>
!${items.length === 0 ? html`<p class="empty">${text(accountMessages('home.no_changes'))}</p>` : html`<ul>!${items}</ul>`}
</section>
`
}

const shownSentences = 10
