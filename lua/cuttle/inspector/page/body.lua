--- Inspector page, initial HTML.
-- Does not depend on the data.

return {
  head = [==[
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>cuttle inspector</title>
<link rel="icon" href="data:,">
]==],
  body = [==[
<header>
  <h1>cuttle</h1>
  <label>World <select id="world"></select></label>
  <span id="totals"></span>
  <span id="past" hidden>
    <label for="frames">Look back</label>
    <input id="frames" type="range" min="0" max="0" value="0" aria-describedby="ago">
    <output id="ago" for="frames">now</output>
    <button id="now" type="button" hidden>Back to now</button>
  </span>
  <span id="control" hidden>
    <button id="pause" type="button" aria-pressed="false">Pause</button>
    <button id="step" type="button" disabled>Step</button>
  </span>
  <span id="state" role="status"></span>
</header>
<main>
  <section id="entities" aria-label="Entities">
    <form id="search" role="search">
      <select id="mode" aria-label="Search by">
        <option value="name">Name or id</option>
        <option value="query">Components</option>
      </select>
      <input id="query" type="search" aria-label="Search" autocomplete="off" spellcheck="false">
    </form>
    <form id="new-entity" hidden>
      <input id="new-name" type="text" aria-label="Name of a new entity" placeholder="Name of a new entity"
        autocomplete="off" spellcheck="false">
      <button type="submit">Create</button>
    </form>
    <p id="found" role="status"></p>
    <div id="tree" role="tree" aria-label="Entities by name" tabindex="0"><div id="rows" role="presentation"></div>
    </div>
  </section>
  <section id="entity" aria-label="Selected entity"><p class="hint">Select an entity.</p></section>
  <section id="world-panels" aria-label="World">
    <details id="map"><summary>Map</summary></details>
    <h2>Managers</h2>
    <div class="scroll"><table id="managers"><thead><tr><th scope="col">Component</th>
      <th scope="col" class="number">Rows</th><th scope="col">Capacity used</th>
      <th scope="col" class="number">Memory</th></tr></thead><tbody></tbody></table></div>
    <h2>Timings</h2>
    <label id="measure-label"><input id="measure" type="checkbox"> Measure</label>
    <div id="graph"></div>
    <div class="scroll"><table id="timings" hidden><thead><tr><th scope="col">Work</th>
      <th scope="col" class="number">Calls</th><th scope="col" class="number" id="unit">ms per second</th></tr></thead>
      <tbody></tbody></table></div>
    <h2>Levels</h2>
    <div id="levels"></div>
  </section>
</main>
]==],
}
