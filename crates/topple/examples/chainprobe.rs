use topple::joint::Ball;
use topple::math::*;
use topple::*;
fn main() {
    let links: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let ratio: f32 = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut world = World3::new();
    let mut s = world.settings().clone(); s.sleeping = false; world.set_settings(s).unwrap();
    let hook = BodyDef::fixed(Vec3::ZERO);
    let mut last = world.create_body_with(hook, [ShapeDef::new(Shape3::cuboid(0.01,0.01,0.01))]).unwrap();
    let mut joints = Vec::new(); let mut ids=Vec::new();
    for i in 1..=links {
        let density = if i == links { 1000.0 * ratio } else { 1000.0 };
        let mut shape = ShapeDef::new(Shape3::cuboid(0.2,0.1,0.1)).density(density);
        shape.filter.mask = 0;
        let link = world.create_body_with(BodyDef::dynamic(Vec3::new(0.5*i as f32,0.0,0.0)), [shape]).unwrap();
        let anchor = Pose::at(Vec3::new(0.5*i as f32-0.25,0.0,0.0));
        let def = JointDef::at(&world, last, link, JointKind::Ball(Ball::default()), anchor).unwrap();
        joints.push(world.create_joint(def).unwrap()); ids.push(link);
        last = link;
    }
    for step in 0..900 {
        world.step();
        let gap: f32 = joints.iter().map(|&id| { let [a,b]=world.joint(id).unwrap().anchors(); (b-a).length() }).sum::<f32>()/(0.5*links as f32);
        let spin = ids.iter().map(|&id| world.body(id).unwrap().angular_velocity().length()).fold(0.0f32,f32::max);
        let end = world.body(last).unwrap().position();
        let f: Vec<f32> = [0, links/2, links-1].iter().map(|&j| world.joint(joints[j]).unwrap().force().length()/(ratio*1000.0*0.016*9.8)).collect();
        if step%30==0 || gap>1e-3 { println!("{step} gap {:.5}% spin {:.2} end {:.2} {:.2} {:.2} force {:?} ref {}", gap*100.0, spin, end.x, end.y, end.z, f, world.profile().counters.refinement); }
        if gap>0.5 {break;}
    }
}
