//! Joints written in scenes do what the textbooks say, in the plane and in space.

use topple_scene::run::Simulation;

use crate::support::good;

/// Runs a scene until its last expectation and requires every one of them.
fn holds(text: &str) {
    let scene = good(text);
    let mut simulation = Simulation::new(&scene);
    let refused: Vec<_> = simulation.diagnostics().iter().map(|found| found.message.clone()).collect();
    assert!(refused.is_empty(), "{refused:?}\n{text}");
    let dt = scene.world.dt;
    let last = scene.expectations.iter().filter_map(|expectation| expectation.window.last(dt)).max();
    simulation.run(scene.frames().or(last).unwrap_or(60));
    let refused: Vec<_> = simulation.diagnostics().iter().map(|found| found.message.clone()).collect();
    assert!(refused.is_empty(), "{refused:?}\n{text}");
    let outcomes = simulation.outcomes(true);
    assert!(!outcomes.is_empty(), "nothing is expected\n{text}");
    for outcome in outcomes {
        assert_eq!(outcome.passed, Some(true), "{} {}\n{text}", outcome.condition, outcome.found);
    }
}

/// The same scene in both dimensions: `v(1,2)` is a vector in the plane z = 0, `s(3)` a rotation about z, `ball` and
/// `box` the shapes.
fn both(text: &str) {
    for dimension in [2, 3] {
        let mut flat = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['v', 's']) {
            let is_vector = rest[at..].starts_with("v(");
            let is_spin = rest[at..].starts_with("s(");
            let follows_word = rest[..at].chars().last().is_some_and(char::is_alphanumeric);
            if (!is_vector && !is_spin) || follows_word {
                flat.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            }
            flat.push_str(&rest[..at]);
            let end = at + rest[at..].find(')').expect("closed");
            let inner = &rest[at + 2..end];
            flat.push_str(&match (dimension, is_vector) {
                (2, _) => inner.to_string(),
                (_, true) => format!("{inner},0"),
                (_, false) => format!("0,0,{inner}"),
            });
            rest = &rest[end + 1..];
        }
        flat.push_str(rest);
        let text = flat
            .replace("SIZE", if dimension == 2 { "size 0.2,0.2" } else { "size 0.2,0.2,0.2" })
            .replace("LONG", if dimension == 2 { "size 2,0.2" } else { "size 2,0.2,0.2" })
            .replace("BALL", if dimension == 2 { "circle" } else { "sphere" });
        holds(&format!("world {{ dimension {dimension} sleeping off }}\n{text}"));
    }
}

#[test]
fn a_pendulum_keeps_time() {
    // Small swings: period tau sqrt(l/g), 2.007 s for 1 m. A point-like bob at the end of the joint.
    for kind in ["ball", "hinge"] {
        both(&format!(
            "const swing = 5deg
             const px = sin(swing)
             const py = -cos(swing)
             BALL bob {{ radius 1cm mass 1 centre v(px, py) }}
             joint {kind} pin {{ a bob at v(0,0) }}
             expect after 1.0035s {{ x(bob) == -sin(swing) within 2mm }}
             expect after 2.007s {{ x(bob) == sin(swing) within 2mm }}
             expect always {{ stretch(pin) < 1mm }}
             expect by 1s {{ force(pin) > 9.8 and forceY(pin) > 9.8 }}"
        ));
    }
}

#[test]
fn a_hinge_has_an_angle_limits_and_a_motor() {
    both(
        "box a { LONG mass 1 centre v(1,0) gravityScale 0 }
         joint hinge h { a a at v(0,0) limits -30deg,45deg motorSpeed 1 maxTorque 100 }
         expect after 0.5s { angle(h) == 0.5 within 0.01; spin(h) == 1 within 1% }
         expect after 2s { angle(h) == 45deg within 0.2deg }
         at 2s { change h { motorSpeed -1 } }
         expect after 2.5s { angle(h) == 45deg - 0.5 within 0.02 }
         expect after 5s { angle(h) == -30deg within 0.2deg }
         at 5s { change h { limits -60deg,0 } }
         expect after 7s { angle(h) == -60deg within 0.2deg }
         at 7s { change h { motorOff limits -180deg,180deg } push a { impulse v(0,0.5) } }
         expect after 7.5s { spin(h) > 0.1 or spin(h) < -0.1 }",
    );
}

#[test]
fn a_servo_holds_an_angle_against_a_weight_until_it_is_too_weak() {
    // 1 kg at 1 m, level: 9.8 N m.
    both(
        "box a { LONG mass 1 centre v(1,0) }
         joint hinge strong { a a at v(0,0) motorTarget 0deg motorFrequency 20 maxTorque 30 }
         expect after 2s { angle(strong) == 0 within 2deg; abs(torque(strong)) == 9.8 within 3% }
         at 2s { change strong { maxTorque 5 } }
         expect by 3s { angle(strong) < -20deg }",
    );
}

#[test]
fn a_spring_hinge_swings_with_its_frequency() {
    // The frequency is that of a body that turns about its centre.
    both(
        "box a { LONG mass 1 centre v(1,0) gravityScale 0 }
         joint hinge h { a a at v(1,0) frequency 1 dampingRatio 0 rest 0.2 }
         expect after 0.5s { angle(h) == 0.4 within 5% }
         expect after 1s { angle(h) == 0 within 0.02 }",
    );
}

#[test]
fn a_slider_lifts_and_carries_the_weight() {
    both(
        "box lift { SIZE mass 2 centre v(0,0) }
         joint slider s { a lift axis v(0,1) limits 0,3 motorSpeed 1 maxForce 100 }
         expect after 1s { slide(s) == 1 within 2cm; vy(lift) == 1 within 1%; forceY(s) == 2*9.8 within 2% }
         expect after 5s { y(lift) == 3 within 1cm }
         expect always { abs(x(lift)) < 1mm; stretch(s) < 1mm }
         at 5s { change s { motorSpeed -2 limits 1,3 } }
         expect after 8s { y(lift) == 1 within 1cm }",
    );
    // Too weak.
    both(
        "box lift { SIZE mass 2 centre v(0,5) }
         joint slider s { a lift axis v(0,1) motorSpeed 1 maxForce 10 }
         expect after 1s { y(lift) < 4 }",
    );
    // The springs of a slider and of a wheel: a tenth of a metre off, half a period later on the other side.
    for kind in ["slider", "wheel"] {
        both(&format!(
            "box lift {{ SIZE mass 2 centre v(0,0) gravityScale 0 }}
             joint {kind} s {{ a lift axis v(0,1) frequency 2 dampingRatio 0 rest 10cm }}
             expect after 0.25s {{ slide(s) == 0.2 within 5% }}
             expect after 0.5s {{ slide(s) == 0 within 1cm }}"
        ));
    }
}

#[test]
fn a_servo_slider_goes_where_it_is_told() {
    both(
        "box lift { SIZE mass 2 centre v(0,0) }
         joint slider s { a lift axis v(1,0) motorTarget 50cm motorFrequency 4 }
         expect after 2s { slide(s) == 0.5 within 1cm; abs(y(lift)) < 2mm }
         at 2s { change s { motorTarget -1m } }
         expect after 4s { x(lift) == -1 within 1cm }",
    );
}

#[test]
fn fixed_joints_hold_give_way_and_break() {
    both(
        "box arm { SIZE mass 1 centre v(1,0) }
         joint fixed w { a arm at v(0,0) }
         expect after 1s { y(arm) == 0 within 1cm; abs(torque(w)) == 9.8 within 5%; forceY(w) == 9.8 within 2% }
         at 1s { remove w }
         expect after 1.5s { exists(w) == 0; y(arm) < -1; joints == 0 }",
    );
    both(
        "box arm { SIZE mass 1 centre v(0,-1) }
         joint fixed w { a arm at v(0,0) breakForce 20 }
         at 1s { push arm { impulse v(0,-2) } }
         expect after 1s { exists(w) == 1; abs(x(arm)) < 1mm }
         expect after 2s { exists(w) == 0; y(arm) < -3 }",
    );
    both(
        "box arm { SIZE mass 1 centre v(0,-1) }
         joint fixed w { a arm at v(0,0) alarmForce 20 }
         at 1s { push arm { impulse v(0,-2) } }
         expect after 0.9s { overloads(w) == 0 }
         expect after 2s { exists(w) == 1; overloads(w) >= 1; overloads(w) < 30 }",
    );
    // A soft weld gives way under its load by g/(tau f)^2, slowly: it creeps.
    both(
        "box soft { SIZE mass 1 centre v(0,0) }
         box softer { SIZE mass 1 centre v(1,0) }
         joint weld w { a soft holdFrequency 2 holdDamping 1 }
         joint weld u { a softer holdFrequency 1 holdDamping 1 }
         expect after 40s { stretch(u) == 9.8/tau^2 within 3%; stretch(w) == 9.8/(2*tau)^2 within 3% }",
    );
}

#[test]
fn rods_ropes_and_springs_have_their_lengths() {
    both(
        "BALL bob { radius 10cm mass 1 centre v(1,0) }
         joint distance rod { a bob atB v(0,0) }
         expect always { gap(rod) == 1 within 2mm; abs(stretch(rod)) < 2mm }
         expect by 1s { x(bob) < 0 }",
    );
    both(
        "BALL bob { radius 10cm mass 1 centre v(0,0) }
         joint rope r { a bob atB v(0,0) length 1 }
         expect after 0.4s { y(bob) == -0.784 within 5cm; force(r) == 0 }
         expect after 3s { gap(r) == 1 within 2mm; forceY(r) == 9.8 within 2% }
         at 3s { change r { length 2 } }
         expect after 6s { gap(r) == 2 within 3mm }",
    );
    both(
        "BALL bob { radius 10cm mass 1 centre v(0,-2) gravityScale 0 }
         joint distance d { a bob atB v(0,0) length 1 frequency 1 dampingRatio 0 }
         expect after 0.5s { gap(d) == 0 within 5cm }",
    );
    both(
        "BALL bob { radius 10cm mass 1 centre v(0,-1.5) vel v(3,0) }
         joint distance d { a bob atB v(0,0) limits 1,2 }
         expect always { gap(d) > 0.99; gap(d) < 2.01 }
         expect by 1s { gap(d) > 1.98 }",
    );
    // tau sqrt(m/k) = 1 s for 1 kg and 39.48 N/m.
    both(
        "BALL bob { radius 10cm mass 1 centre v(0,-2) gravityScale 0 }
         joint spring s { a bob atB v(0,0) length 1.5 stiffness tau^2 }
         expect after 0.5s { gap(s) == 1 within 2cm; stretch(s) == -0.5 within 2cm }
         expect after 1s { gap(s) == 2 within 2cm; force(s) == tau^2/2 within 5% }",
    );
    // Between two bodies of 1 and 3 kg: three quarters of the way is the light one's.
    both(
        "BALL light { radius 10cm mass 1 centre v(0,0) gravityScale 0 }
         BALL heavy { radius 10cm mass 3 centre v(4,0) gravityScale 0 }
         joint spring s { a light b heavy length 2 stiffness 50 damping 10 }
         expect after 5s { x(light) == 1.5 within 1cm; x(heavy) == 3.5 within 1cm }",
    );
}

#[test]
fn a_wheel_rolls_at_its_speed() {
    both(
        "box ground { static SIZE centre v(0,-50.1) }
         wall { normal v(0,1) toOrig 0 friction 1 }
         BALL front { radius 0.3 mass 1 centre v(0.6,0.3) friction 1 }
         BALL back { radius 0.3 mass 1 centre v(-0.6,0.3) friction 1 }
         box car { LONG mass 5 centre v(0,0.5) lock \"rx ry z\" }
         joint wheel f { a front b car at v(0.6,0.3) frequency 5 motorSpeed -10 maxTorque 20 }
         joint wheel r { a back b car at v(-0.6,0.3) frequency 5 limits -10cm,10cm }
         expect after 3s { vx(car) == 3 within 3%; spin(f) == -10 within 2%; spin(r) == -10 within 4% }
         expect from 1s { abs(slide(f)) < 5cm }",
    );
}

#[test]
fn wheels_steer_in_space() {
    holds(
        "world { sleeping off }
         wall { normal 0,1,0 toOrig 0 friction 1 }
         box car { size 2,0.3,1 mass 100 centre 0,0.6,0 }
         repeat i in 0..4 {
           const px = if(i < 2, 0.8, -0.8)
           const pz = if(mod(i, 2) == 0, 0.6, -0.6)
           sphere tyre { radius 0.3 mass 5 centre px,0.3,pz friction 1 }
           joint wheel axle { a tyre b car at px,0.3,pz frequency 5 motorSpeed -10 maxTorque 100 steering if(i < 2, 15deg, 0deg) }
         }
         // wheel base 1.6 m, 15 degrees: a circle of about 6 m radius, to the left
         expect after 3s { z(car) < -1 }
         at 3s { change axle[0] { steering 0deg } change axle[1] { steering 0deg } }
         expect after 6s { angle(axle) < 7 }
         expect always { y(car) > 0.4; y(car) < 0.8 }",
    );
}

#[test]
fn motors_drive_velocity_and_pose() {
    both(
        "box fan { SIZE mass 1 centre v(2,2) gravityScale 0 vel v(0.5,0) }
         joint motor m { a fan angvel s(4) maxTorque 1 }
         expect after 1s { vx(fan) == 0.5 within 1mm; abs(spin(fan)) == 4 within 1% }
         at 1s { change m { angvel s(-2) } }
         expect after 2s { abs(spin(fan)) == 2 within 1% }",
    );
    both(
        "box arm { SIZE mass 1 centre v(2,2) }
         joint motor m { a arm offset v(1,0.5) turn s(30deg) frequency 10 }
         expect after 2s { x(arm) == 3 within 1cm; y(arm) == 2.5 within 1cm; abs(angle(arm)) == 30deg within 1deg; stretch(m) < 1cm }",
    );
    // Too weak to carry the weight.
    both(
        "box arm { SIZE mass 1 centre v(2,2) }
         joint motor m { a arm vel v(0,0) maxForce 9 }
         expect after 1s { y(arm) < 1.9; y(arm) > 1.5 }",
    );
}

#[test]
fn a_mouse_draws_with_its_strength() {
    both(
        "box arm { SIZE mass 1 centre v(0,0) }
         joint mouse m { a arm at v(0.1,0) target v(3,2) }
         expect after 3s { x(arm) > 2.5; y(arm) > 1.7; stretch(m) < 2cm }
         at 3s { change m { target v(0,1) } }
         expect after 6s { stretch(m) < 2cm; x(arm) < 0.5 }
         at 6s { change m { maxForce 5 } }
         expect after 7s { y(arm) < 0 }",
    );
}

#[test]
fn a_ball_joint_stops_at_its_cone_and_twist() {
    holds(
        "world { sleeping off }
         box rod { size 0.1,1,0.1 mass 1 centre 0,-0.5,0 vel 1,0,0 }
         joint ball b { a rod at 0,0,0 axis 0,-1,0 coneLimit 20deg }
         expect by 1s { x(rod) > 0.5*sin(19deg) }
         expect always { x(rod) < 0.5*sin(21deg) }",
    );
    holds(
        "world { sleeping off gravity 0,0,0 }
         box rod { size 0.2,1,0.2 mass 1 angvel 0,2,0 }
         joint ball b { a rod axis 0,1,0 twistLimits -30deg,30deg }
         expect by 1s { angle(b) > 29deg }
         expect always { angle(b) < 31deg; angle(b) > -31deg }",
    );
}

#[test]
fn joints_join_what_is_there_when_they_come() {
    both(
        "BALL bob { radius 10cm mass 1 centre v(0,0) }
         at 0.5s { joint rope leash { a bob atB v(0,-1.225) length 1 } }
         expect after 3s { y(bob) == -2.225 within 1cm; joints == 1; exists(leash) == 1 }
         at 3s { remove bob }
         expect after 3.1s { joints == 0; exists(leash) == 0; bodies == 0 }",
    );
    // Joined bodies do not collide, unless they are told to.
    both(
        "BALL a { radius 0.5 mass 1 centre v(0,0) gravityScale 0 }
         BALL b { radius 0.5 mass 1 centre v(0.5,0) gravityScale 0 }
         joint rope r { a a b b length 3 }
         expect after 1s { distance(a, b) == 0.5 within 1cm }
         at 1s { remove r }
         expect after 3s { distance(a, b) > 0.9 }",
    );
}

#[test]
fn what_a_joint_cannot_do_is_said() {
    let scene = good(
        "world { dimension 2 } circle a { radius 1 } box f { static size 1,1 centre 9,9 } box g { static size 1,1 centre 19,9 }
         joint ball j { a a } joint fixed k { a f b g }
         at 2 steps { change j { motorSpeed 3 } change a { motorSpeed 3 } }",
    );
    let mut simulation = Simulation::new(&scene);
    simulation.run(5);
    let said: Vec<_> = simulation.diagnostics().iter().map(|found| found.message.clone()).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("neither body is dynamic"), "{said:?}");
    assert!(said[1].contains("a ball joint has no motor"), "{said:?}");
    assert!(said[2].contains("no such joint"), "{said:?}");
}
