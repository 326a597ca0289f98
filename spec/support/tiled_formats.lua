-- One small Tiled map in each format of Tiled: its own XML, JSON, and a Lua export.

local formats = {}

formats.TMX = [[
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">
<map version="1.10" orientation="orthogonal" width="2" height="2" tilewidth="16" tileheight="16" infinite="0"
  backgroundcolor="#80102030" nextlayerid="9" nextobjectid="9">
 <properties><property name="music" value="a.ogg"/></properties>
 <tileset firstgid="1" name="Ground" tilewidth="16" tileheight="24" tilecount="4" columns="2">
  <tileoffset x="1" y="2"/>
  <image source="ground.png" trans="ff00ff" width="32" height="48"/>
  <tile id="1" type="Wall" probability="0.5">
   <properties><property name="hard" type="bool" value="true"/></properties>
   <objectgroup><object id="1" type="Box" x="1" y="2" width="3" height="4"><ellipse/></object></objectgroup>
   <animation><frame tileid="1" duration="100"/></animation>
  </tile>
 </tileset>
 <tileset firstgid="5" source="set.tsx"/>
 <layer id="1" name="Floor" width="2" height="2" opacity="0.5" tintcolor="#ff8000" visible="0">
  <data encoding="csv">
1,2147483650,
0,6
</data>
 </layer>
 <group id="2" name="Town" offsetx="10">
  <objectgroup id="3" name="Things" color="#ff0000" draworder="index">
   <object id="1" name="hero" type="Player" x="40" y="50" width="10" height="20" rotation="90">
    <properties>
     <property name="hp" type="int" value="12"/>
     <property name="speed" type="float" value="1.5"/>
     <property name="story">one
"two" &amp; \ three</property>
     <property name="stats" type="class" propertytype="Stats">
      <properties>
       <property name="inner" type="class" propertytype="Inner">
        <properties><property name="deep" type="bool" value="true"/></properties>
       </property>
       <property name="str" type="int" value="4"/>
      </properties>
     </property>
     <property name="target" type="object" value="2"/>
    </properties>
   </object>
   <object id="2" name="wall" gid="2147483650" x="8" y="30" width="32" height="48"/>
   <object id="3" name="spot" x="1.5" y="2.5"><point/></object>
   <object id="4" name="area" x="1" y="1"><polygon points="0,0 4,0 4,8.5"/></object>
   <object id="5" name="path" x="1" y="1"><polyline points="0,0 -4,1"/></object>
   <object id="6" name="sign" x="2" y="3" width="40" height="20">
    <text wrap="1" color="#ff0000" halign="center">Hi</text>
   </object>
   <object id="7" template="wall.tx" x="5" y="6"/>
  </objectgroup>
 </group>
 <imagelayer id="4" name="Sky" offsetx="3" repeatx="1"><image source="sky.png" trans="#00ff00"/></imagelayer>
</map>
]]

formats.TSX = [[
<tileset version="1.10" name="Set" tilewidth="16" tileheight="16" tilecount="4" columns="2" objectalignment="center">
 <image source="set.png" width="32" height="32"/><tile id="1" class="Brick"/>
</tileset>
]]

formats.TX = [[
<template><tileset firstgid="1" source="set.tsx"/><object name="brick" gid="2" width="16" height="24">
<properties><property name="hp" type="int" value="3"/></properties></object></template>
]]

local MORE = [["tileoffset":{"x":1,"y":2},"image":"ground.png","transparentcolor":"#ff00ff","imagewidth":32,
"imageheight":48,"tiles":[{"id":1,"type":"Wall","probability":0.5,"properties":[{"name":"hard","type":"bool",
"value":true}],"objectgroup":{"objects":[{"id":1,"type":"Box","x":1,"y":2,"width":3,"height":4,"ellipse":true}]},
"animation":[{"tileid":1,"duration":100}]}]}]]

formats.JSON = [[{"type":"map","version":"1.10","orientation":"orthogonal","width":2,"height":2,"tilewidth":16,
"tileheight":16,"infinite":false,"backgroundcolor":"#80102030",
"properties":[{"name":"music","type":"string","value":"a.ogg"}],
"tilesets":[{"firstgid":1,"name":"Ground","tilewidth":16,"tileheight":24,"tilecount":4,"columns":2,]] .. MORE
  .. [[,{"firstgid":5,"source":"set.tsj"}],
"layers":[{"type":"tilelayer","id":1,"name":"Floor","width":2,"height":2,"opacity":0.5,"tintcolor":"#ff8000",
"visible":false,"data":[1,2147483650,0,6]},
{"type":"group","id":2,"name":"Town","offsetx":10,"layers":[{"type":"objectgroup","id":3,"name":"Things",
"color":"#ff0000","draworder":"index","objects":[
{"id":1,"name":"hero","type":"Player","x":40,"y":50,"width":10,"height":20,"rotation":90,"properties":[
{"name":"hp","type":"int","value":12},{"name":"speed","type":"float","value":1.5},
{"name":"story","type":"string","value":"one\n\"two\" & \\ three"},
{"name":"stats","type":"class","propertytype":"Stats","value":{"inner":{"deep":true},"str":4}},
{"name":"target","type":"object","value":2}]},
{"id":2,"name":"wall","gid":2147483650,"x":8,"y":30,"width":32,"height":48},
{"id":3,"name":"spot","x":1.5,"y":2.5,"point":true},
{"id":4,"name":"area","x":1,"y":1,"polygon":[{"x":0,"y":0},{"x":4,"y":0},{"x":4,"y":8.5}]},
{"id":5,"name":"path","x":1,"y":1,"polyline":[{"x":0,"y":0},{"x":-4,"y":1}]},
{"id":6,"name":"sign","x":2,"y":3,"width":40,"height":20,"text":{"text":"Hi","wrap":true,"color":"#ff0000",
"halign":"center"}},
{"id":7,"template":"wall.tj","x":5,"y":6}]}]},
{"type":"imagelayer","id":4,"name":"Sky","offsetx":3,"repeatx":true,"image":"sky.png","transparentcolor":"#00ff00"}]}]]

formats.TSJ = [[{"name":"Set","tilewidth":16,"tileheight":16,"tilecount":4,"columns":2,"objectalignment":"center",
"image":"set.png","imagewidth":32,"imageheight":32,"tiles":[{"id":1,"class":"Brick"}]}]]

formats.TJ = [[{"tileset":{"firstgid":1,"source":"set.tsj"},"object":{"name":"brick","gid":2,"width":16,"height":24,
"properties":[{"name":"hp","type":"int","value":3}]}}]]

formats.LUA = [==[
return {
  version = "1.10", luaversion = "5.1", orientation = "orthogonal", -- a comment
  width = 2, height = 2, tilewidth = 16, tileheight = 16, backgroundcolor = { 16, 32, 48, 128 },
  --[[ and
  one more ]]
  properties = { ["music"] = "a.ogg" },
  tilesets = { { name = "Ground", firstgid = 1, tilewidth = 16, tileheight = 24, tilecount = 4, columns = 2,
      tileoffset = { x = 1, y = 2 }, image = "ground.png", transparentcolor = "#ff00ff", imagewidth = 32,
      imageheight = 48, tiles = { { id = 1, type = "Wall", probability = 0.5, properties = { ["hard"] = true },
        objectGroup = { type = "objectgroup", objects = { { id = 1, type = "Box", shape = "ellipse", x = 1, y = 2,
          width = 3, height = 4, properties = {} } } }, animation = { { tileid = 1, duration = 100 } } } } },
    { name = "Set", firstgid = 5, filename = "set.tsj", exportfilename = "set.lua" } },
  layers = {
    { type = "tilelayer", id = 1, name = "Floor", width = 2, height = 2, opacity = 0.5, visible = false,
      tintcolor = { 255, 128, 0 }, properties = {}, encoding = "lua", data = { 1, 2147483650, 0, 6 } },
    { type = "group", id = 2, name = "Town", offsetx = 10, layers = { { type = "objectgroup", id = 3,
      name = "Things", color = { 255, 0, 0 }, draworder = "index", objects = {
        { id = 1, name = "hero", type = "Player", shape = "rectangle", x = 40, y = 50, width = 10, height = 20,
          rotation = 90, properties = { ["hp"] = 12, ["speed"] = 1.5, ["story"] = "one\n\"two\" & \\ thre\101",
            ["stats"] = { ["inner"] = { ["deep"] = true }, ["str"] = 4 }, ["target"] = { id = 2 } } },
        { id = 2, name = "wall", shape = "rectangle", gid = 2147483650, x = 8, y = 30, width = 32, height = 48 },
        { id = 3, name = "spot", shape = "point", x = 1.5, y = 2.5, width = 0, height = 0 },
        { id = 4, name = "area", shape = "polygon", x = 1, y = 1,
          polygon = { { x = 0, y = 0 }, { x = 4, y = 0 }, { x = 4, y = 8.5 } } },
        { id = 5, name = "path", shape = "polyline", x = 1, y = 1, polyline = { { x = 0, y = 0 }, { x = -4, y = 1 } } },
        { id = 6, name = "sign", shape = "text", x = 2, y = 3, width = 40, height = 20, text = "Hi", wrap = true,
          color = { 255, 0, 0 }, halign = "center" },
        { id = 7, name = "brick", shape = "rectangle", gid = 6, x = 5, y = 6, width = 16, height = 24,
          properties = { ["hp"] = 3 } },
      } } } },
    { type = "imagelayer", id = 4, name = "Sky", offsetx = 3, repeatx = true, image = "sky.png",
      transparentcolor = "#00ff00" };
  }
}
]==]

formats.LUA_SET = [[
return { luaversion = "5.1", name = "Set", tilewidth = 16, tileheight = 16, tilecount = 4, columns = 2,
  objectalignment = "center", image = "set.png", imagewidth = 32, imageheight = 32,
  tiles = { { id = 1, class = "Brick" } } }
]]

-- The files beside the maps, by path.
formats.FILES = { ["set.tsx"] = formats.TSX, ["wall.tx"] = formats.TX, ["set.tsj"] = formats.TSJ,
  ["wall.tj"] = formats.TJ, ["set.lua"] = formats.LUA_SET }

-- The option `read` for these files and others.
function formats.reader(more)
  return function(path)
    local text = more and more[path] or formats.FILES[path]
    return text, not text and "no such file" or nil
  end
end

return formats
